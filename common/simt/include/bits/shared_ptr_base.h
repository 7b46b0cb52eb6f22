// SPDX-License-Identifier: MIT
// libstdc++ writes __attribute__((__noinline__)) in its header of this name, which our macro
// __noinline__ would break. Reading <memory> before the macro is defined would help, too, but costs
// every rung, with or without <memory>, a fifth of its compile.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
