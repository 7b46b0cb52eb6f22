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
# Of namespace std: all but what reaches files, threads and the machine's noise.
STD_REFUSED = re.compile(
    r"filesystem|thread|jthread|basic_[io]?fstream|basic_filebuf|__basic_file|random_device|"
    r"condition_variable|__future_base|stop_token|counting_semaphore|barrier|set_new_handler|"
    r"set_terminate|quick_exit|at_quick_exit|this_thread|async"
)
RUNTIME_NAMESPACES = frozenset({"worker", "wire", "std", "__cxxabiv1", "__gnu_cxx"})

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

# A compiler makes at most one of each: g++ a file's own dynamic initialisers, nvcc one that
# announces the kernels to the runtime.
INITIALISERS = {
    ".init_array": (
        re.compile(r"_GLOBAL__(sub_)?I_\w+"),
        re.compile(r"_ZL\w*__cudaRegisterAll\w*|_ZL\w*sti\w*"),
    ),
}
BEFORE_MAIN = re.compile(r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b.*")
