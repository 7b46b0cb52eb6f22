// SPDX-License-Identifier: MIT
// The device, which one thread of the host uses at a time.
#pragma once

namespace runtime {

// Held during every call that reads or changes the runtime's state. The thread that holds it may
// take it again.
class DeviceLock {
 public:
  DeviceLock();
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
};

// Gives the device to other threads meanwhile, however often the calling thread has locked it.
class DeviceLoan {
 public:
  DeviceLoan();
  ~DeviceLoan();
  DeviceLoan(const DeviceLoan&) = delete;
  DeviceLoan& operator=(const DeviceLoan&) = delete;

 private:
  int depth_;
};

// Whether this process has other threads.
bool has_other_threads();

}  // namespace runtime
