# SPDX-License-Identifier: MIT
"""The names that a rung's object may refer to, and advice about those that it may not."""

import re

_MATH = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc erfcinv
erfcx erfinv exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 j1
ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter norm3d norm4d normcdf normcdfinv pow rcbrt remainder remquo rhypot rint rnorm3d
round roundeven rsqrt scalbln scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tanpi
tgamma trunc y0 y1
"""
_MEMORY_AND_STRINGS = """
memchr memcmp memcpy memmove memset strchr strcmp strcpy strlen strncmp strncpy strstr wcslen
malloc calloc realloc free aligned_alloc posix_memalign
isalnum isalpha isdigit isspace isupper islower tolower toupper
"""
_STANDARD = """
abort atexit atof atoi atol div labs llabs ldiv lldiv qsort rand srand
strtod strtof strtol strtoul strtoll strtoull time clock clock_gettime
__isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
"""
_TEXT_TO_STDOUT = """
printf puts putchar fputs fputc putc fprintf fwrite fflush snprintf sprintf vprintf vfprintf
vsnprintf stdout stderr __printf_chk __fprintf_chk __snprintf_chk __sprintf_chk
"""
_COMPILERS_OWN = """
__assert_fail __stack_chk_fail __stack_chk_guard __errno_location __dso_handle __tls_get_addr
__cxa_atexit _Unwind_Resume _GLOBAL_OFFSET_TABLE_ __libc_single_threaded
__memcpy_chk __memset_chk __memmove_chk
"""
C_NAMES = frozenset(
    [f"{name}{suffix}" for name in _MATH.split() for suffix in ("", "f", "l")]
    + _MEMORY_AND_STRINGS.split()
    + _STANDARD.split()
    + _TEXT_TO_STDOUT.split()
    + _COMPILERS_OWN.split()
)
C_PATTERNS = tuple(
    map(
        re.compile,
        (
            r"__(cxa|gxx)_\w+",
            r"__(tsan|ubsan_handle|sanitizer_cov_trace)_\w+",
            # Calls through pointers, beginnings and ends of functions, which the emulator checks.
            r"__x86_indirect_thunk_r\w+|__fentry__|__x86_return_thunk",
            r"__[a-z]+[hsdtx][ifc][2-4]",  # arithmetic that the processor lacks
            r"_ZT[ISV]N10__cxxabiv1\w+",
            r"_ZT[IS][PK]*[a-z]",  # what is thrown may be an int
        ),
    )
)
# On the host each of a device's intrinsics has a stub, and what it does is to exit.
CUDA_STUBS = frozenset({"exit"})
# What the headers call for some of these at nvcc's flags: tables of characters, and functions that
# check lengths, where the host's compiler sets _FORTIFY_SOURCE by itself, as on Ubuntu.
_CUDA_SUBSTITUTES = """
__ctype_tolower_loc __ctype_toupper_loc
__vprintf_chk __vfprintf_chk __vsnprintf_chk __strcpy_chk __strncpy_chk
"""
CUDA_SUBSTITUTES = frozenset(_CUDA_SUBSTITUTES.split())
CUDA_C_PATTERNS = (
    re.compile(r"cuda(?!DeviceReset|Ipc|Import|DestroyExternal|Graphics|GetDriver)\w+"),
    re.compile(r"__cuda\w+"),
)
_CUDA_BUILTINS = """
threadIdx blockIdx blockDim gridDim __activemask __brev __brevll __byte_perm __clz __clzll
__cosf __cvta_generic_to_shared __cvta_shared_to_generic __dp4a __exp10f __expf __ffs __ffsll
__fns __isGlobal __isLocal __isShared __log10f __log2f __logf __nanosleep __popc __popcll __powf
__sincosf __sinf __syncthreads __syncthreads_and __syncthreads_count
__syncthreads_or __tanf __tanhf __threadfence __threadfence_block __threadfence_system
__trap clock clock64
"""
# The arithmetic on halfwords and bytes of simt/simd_intrinsics.inc: __vadd2, __vadd4 ...
_SIMD = """
abs absdiffs absdiffu absss add addss addus avgs avgu cmpeq cmpges cmpgeu cmpgts cmpgtu cmples
cmpleu cmplts cmpltu cmpne haddu maxs maxu mins minu neg negss sads sadu seteq setges setgeu
setgts setgtu setles setleu setlts setltu setne sub subss subus
"""
# Those for dynamic programming of simt/dpx_intrinsics.h: __vimax3_s32, __viaddmin_s16x2_relu ...
_DPX = [
    f"__v{name}_{kind}"
    for names, kinds in (
        ("imax3 imin3 iaddmax iaddmin", "s32 u32 s16x2 u16x2 s32_relu s16x2_relu"),
        ("ibmax ibmin", "s32 u32 s16x2 u16x2"),
        ("imax imin", "s32_relu s16x2_relu"),
    )
    for name in names.split()
    for kind in kinds.split()
]
CUDA_BUILTINS = frozenset(
    [
        *_CUDA_BUILTINS.split(),
        *(f"__v{name}{parts}" for name in _SIMD.split() for parts in (2, 4)),
        *_DPX,
    ]
)
# What the emulator's headers themselves call; the rest of it is the worker's to call.
_EMULATOR = """
add atomic_apply atomic_compare_exchange atomic_fence atomic_load atomic_store atomic_update
begin_copy check_copy check_launch_bounds commit_copies copy_from_symbol copy_to_symbol
decode_float16 decode_float8 divide dynamic_shared encode_float16 encode_float8 enter_variadic
expect_company PhaseCounter
extract_bits fetch_texel function_attributes get_exchanged global_timer is_cooperative_launch
lane_id max_active_blocks multiply multiply_add multiply_add_float16 occupancy poll
put_exchanged raise_dynamic_shared_limit read_config read_surface register_symbol
resident_blocks run_grid sample_cube sample_texture set_function_attribute set_last_error
square_root symbol_address sync_grid sync_named_barrier to_double to_float to_integer
wait_for_copies warp_operation write_surface
"""
EMULATOR = frozenset(_EMULATOR.split())
# What the emulator's headers call for a part of CUDA that no rung may use: that part, as a source
# names it, and what to write instead.
REFUSED_CUDA = (
    (r"copy_elements|multiply_tiles|integer_sum", "nvcuda::wmma::fragment",
     "no rung has tensor cores; let the threads multiply and add"),
    (r"register_kernel|launch_address", "the address of a kernel, cast to void*",
     "launch the kernel by its name, as kernel<<<...>>>() or as cudaLaunchKernel's first argument"),
)  # fmt: skip
# Of namespace std: all but what reaches files, threads and the machine's noise.
STD_REFUSED = re.compile(
    r"filesystem|thread|jthread|basic_[io]?fstream|basic_filebuf|__basic_file|random_device|"
    r"condition_variable|__future_base|stop_token|counting_semaphore|barrier|set_new_handler|"
    r"set_terminate|quick_exit|at_quick_exit|this_thread|async"
)
RUNTIME_NAMESPACES = frozenset({"simt", "worker", "wire", "std", "__cxxabiv1", "__gnu_cxx"})

ADVICE = (
    (r"main|_start|_init|_fini", "the worker has its own"),
    (r"_*exit|quick_exit|_Exit",
     "throw std::runtime_error, or put lab::check() around the call of CUDA, which throws"),
    (r"_?longjmp|_?setjmp", "return, or throw an exception"),
    (r"thrust|cub|cublas\w*|cufft\w*|curand\w*|cusparse\w*|cusolver\w*",
     "what it does is this lab's to write: use kernels of your own"),
    (r"f?open\w*|fd?open|fread|fgets|f?scanf|read|write|close|stat|unlink|remove|rename|mkdir|"
     r"basic_\w*|filesystem", "data comes and goes by the function's arguments; text by printf"),
    (r"v?fork|clone\d*|exec\w*|system|popen|posix_spawn\w*|wait\w*|kill|raise|signal|sigaction|"
     r"ptrace|prctl|alarm|setitimer|pthread\w*|thread|jthread|async",
     "parallel work is done by kernels, errors are thrown"),
    (r"socket|connect|bind|listen|accept|send\w*|recv\w*|getaddrinfo|gethostby\w*",
     "a rung has no network"),
    (r"mmap\d*|mprotect|munmap|mremap|brk|sbrk|syscall|dl\w+",
     "memory comes from the scratch argument, cudaMalloc, or a container"),
    (r"random_device|getrandom|getentropy", "use an engine with a fixed seed"),
    (r"__dynamic_cast", "choose by a virtual function or a template, not by dynamic_cast"),
    (r"cudaDeviceReset", "it frees the caller's memory, too; cudaFree what you have allocated"),
)  # fmt: skip
PLAIN_ADVICE = "a rung may use CUDA's runtime, and C++ mathematics, containers and algorithms"

# A compiler makes at most one of each: g++ a file's own dynamic initialisers, and the
# instrumentation's; nvcc one that announces the kernels to the runtime.
INITIALISERS = {
    ".init_array": (
        re.compile(r"_GLOBAL__(sub_)?I_\w+"),
        re.compile(r"_ZL\w*__cudaRegisterAll\w*|_ZL\w*sti\w*"),
    ),
    ".init_array.00099": (re.compile(r"_sub_I_00099_0"),),
}
BEFORE_MAIN = re.compile(r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b.*")
