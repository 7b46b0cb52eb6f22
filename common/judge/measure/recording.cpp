// SPDX-License-Identifier: MIT
#include "measure/recording.h"

#include "fixture/json.h"
#include "fixture/record.h"
#include "fixture/session.h"
#include "measure/one_call.h"

namespace judge {

Recorded record(const Workload& workload) {
  Outcome outcome = call_once(workload);
  Recorded recorded = session().student().recorded();
  recorded.failure = std::move(outcome.failure);
  recorded.findings = std::move(outcome.findings);
  return recorded;
}

std::string to_json(const Recorded& recorded, bool has_size) {
  std::vector<std::string> launches;
  for (const std::string& kernel : recorded.launches) launches.push_back(json::quote(kernel));
  const std::optional<Failure>& failure = recorded.failure;
  return json::object({{"recording", json::quote(recorded.text)},
                       {"launches", json::array(launches)},
                       {"has_size", has_size ? "true" : "false"},
                       {"kind", json::quote(failure ? failure->kind : "")},
                       {"message", json::quote(failure ? failure->message : "")},
                       {"findings", to_json(recorded.findings)}});
}

}  // namespace judge
