// SPDX-License-Identifier: MIT
// A page that is opened as a file may not start a worker. The search runs in a hidden frame then.
"use strict";

class IFrameWorker extends EventTarget {
  constructor(address) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.waiting = []; // messages that arrive before the script has been read
    const page = this.inside.document;
    const script = page.createElement("script");
    script.src = new URL(address, document.baseURI).href;
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.inside.importScripts = async (...addresses) => {
      for (const each of addresses) {
        await new Promise((resolve, reject) => {
          const part = page.createElement("script");
          part.src = new URL(each, script.src).href;
          part.addEventListener("load", resolve);
          part.addEventListener("error", reject);
          page.head.append(part);
        });
      }
    };
    script.addEventListener("load", () => {
      const waiting = this.waiting;
      this.waiting = null;
      for (const data of waiting) this.deliver(data);
    });
    page.head.append(script);
  }

  postMessage(data) {
    if (this.waiting) this.waiting.push(data);
    else this.deliver(data);
  }

  deliver(data) {
    this.inside.dispatchEvent(new MessageEvent("message", { data }));
  }
}

if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
