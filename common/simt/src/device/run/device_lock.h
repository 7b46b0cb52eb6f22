// SPDX-License-Identifier: MIT
// The emulated device, which one thread of the host uses at a time.
#pragma once

namespace simt::internal {

// Held during every call that reads or changes the device's state, a launch included. The thread
// that holds it may take it again. A kernel's own calls need not: their thread holds it, and a
// fault may abandon them.
class DeviceLock {
 public:
  enum class Memory { kUsed, kUntouched };  // by the call

  explicit DeviceLock(Memory memory = Memory::kUsed);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  bool is_taken_;
  bool has_opened_ = false;  // see run/closed_device.h
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

}  // namespace simt::internal
