//! Whether the processor has the instructions that this build uses.
//!
//! A build for one processor (`target-cpu=native`) dies of an illegal instruction on an older one.
//! [`check`] says what is missing before that happens. So it has to run on the old processor
//! itself: it keeps to whole numbers in registers and to functions of the standard library that
//! come compiled, as that is for every processor. `std::is_x86_feature_detected!` is of no help: it
//! takes for granted whatever the build may use.

use std::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};
use std::io::{Write, stderr};

/// Names on standard error, in one line, what this build uses and the processor lacks, and which
/// build to use instead. Whether all is there; if not, end the program and do nothing else.
#[must_use]
pub fn check() -> bool {
    let mut complete = true;
    visit(|name, used, present| {
        if used && !present {
            say(if complete {
                "error: this build of cairn uses instructions that this processor does not have: "
            } else {
                ", "
            });
            say(name);
            complete = false;
        }
    });
    if !complete {
        say("; build it on this machine, or for any 64-bit PC with \
             RUSTFLAGS=\"-C target-cpu=x86-64\"\n");
    }
    complete
}

/// Not with `eprintln`, whose arguments may be put together by vector instructions.
#[inline(never)]
fn say(words: &'static str) {
    // There is nowhere left to report that it cannot be written.
    let _ = stderr().write_all(words.as_bytes());
}

/// Calls `see` for all features in the table: a name, as the compiler has it, whether this build
/// uses it, and whether the processor has it, which is a bit of one of the words.
macro_rules! features {
    ($see:ident: $($word:expr => $($name:literal $bit:literal)*;)*) => {
        $(
            let word: u32 = $word;
            $($see($name, cfg!(target_feature = $name), word & (1 << $bit) != 0);)*
        )*
    };
}

/// The features that the compiler may use, all but `sse` and `sse2`, which every 64-bit PC has. The
/// bits are from Intel's *Software Developer's Manual* (CPUID) and AMD's *Programmer's Manual*,
/// volume 3, appendix E.
#[inline(always)]
fn visit(mut see: impl FnMut(&'static str, bool, bool)) {
    let basic = cpuid(1, 0);
    let (more, most) = (cpuid(7, 0), cpuid(7, 1));
    let (saving, locker) = (cpuid(0xd, 1), cpuid(0x19, 0));
    let extended = cpuid(0x8000_0001, 0);
    // Vector registers are of use only when the system keeps them.
    let kept = kept_registers(basic);
    let ymm = if kept & 0x6 == 0x6 { u32::MAX } else { 0 };
    let zmm = if kept & 0xe6 == 0xe6 { u32::MAX } else { 0 };
    features! { see:
        basic.ecx => "sse3" 0 "pclmulqdq" 1 "ssse3" 9 "cmpxchg16b" 13 "sse4.1" 19 "sse4.2" 20
            "movbe" 22 "popcnt" 23 "aes" 25 "xsave" 26 "rdrand" 30;
        basic.edx => "fxsr" 24;
        basic.ecx & ymm => "avx" 28 "fma" 12 "f16c" 29;
        more.ebx => "bmi1" 3 "bmi2" 8 "rdseed" 18 "adx" 19 "sha" 29;
        more.ecx => "gfni" 8 "kl" 23;
        more.ebx & ymm => "avx2" 5;
        more.ecx & ymm => "vaes" 9 "vpclmulqdq" 10;
        more.ebx & zmm => "avx512f" 16 "avx512dq" 17 "avx512ifma" 21 "avx512cd" 28 "avx512bw" 30
            "avx512vl" 31;
        more.ecx & zmm => "avx512vbmi" 1 "avx512vbmi2" 6 "avx512vnni" 11 "avx512bitalg" 12
            "avx512vpopcntdq" 14;
        more.edx & zmm => "avx512vp2intersect" 8 "avx512fp16" 23;
        most.eax & zmm => "avx512bf16" 5;
        most.eax & ymm => "sha512" 0 "sm3" 1 "sm4" 2 "avxvnni" 4 "avxifma" 23;
        most.edx & ymm => "avxvnniint8" 4 "avxneconvert" 5 "avxvnniint16" 10;
        saving.eax => "xsaveopt" 0 "xsavec" 1 "xsaves" 3;
        locker.ebx => "widekl" 2;
        extended.ecx => "lzcnt" 5 "sse4a" 6 "tbm" 21;
    }
}

/// What the processor says of itself; nothing where it does not know the question.
#[inline(always)]
#[allow(unused_unsafe, reason = "newer versions of Rust need none")]
fn cpuid(leaf: u32, part: u32) -> CpuidResult {
    // SAFETY: every 64-bit PC has the instruction.
    let (last, answer) =
        unsafe { (__cpuid_count(leaf & 0x8000_0000, 0).eax, __cpuid_count(leaf, part)) };
    if leaf <= last { answer } else { CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 } }
}

/// The registers that the system keeps for each process.
#[inline(always)]
fn kept_registers(basic: CpuidResult) -> u64 {
    const OSXSAVE: u32 = 1 << 27;
    if basic.ecx & OSXSAVE == 0 {
        return 0;
    }
    // SAFETY: the bit says that the system has enabled the instruction.
    unsafe { _xgetbv(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `native` is what the default build is for.
    #[test]
    fn all_that_the_compiler_uses_is_in_the_table() {
        let mut known = vec!["sse", "sse2"];
        visit(|name, _, _| known.push(name));
        for cpu in ["native", "x86-64-v4"] {
            let target = format!("target-cpu={cpu}");
            let output = std::process::Command::new("rustc")
                .args(["--print", "cfg", "-C", &target])
                .output()
                .expect("who runs tests has rustc");
            let text = String::from_utf8(output.stdout).expect("it is UTF-8");
            let used: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("target_feature=\"")?.strip_suffix('"'))
                .collect();
            assert!(used.contains(&"sse2"), "{text}");
            for name in used {
                assert!(known.contains(&name), "{name} of {cpu}");
            }
        }
    }

    #[test]
    fn bits_are_those_of_the_standard_library() {
        macro_rules! agree {
            ($($name:tt)*) => {
                $(visit(|name, _, present| {
                    if name == $name {
                        assert_eq!(present, std::is_x86_feature_detected!($name), "{name}");
                    }
                });)*
            };
        }
        agree! {
            "sse3" "pclmulqdq" "ssse3" "cmpxchg16b" "sse4.1" "sse4.2" "movbe" "popcnt" "aes" "xsave"
            "rdrand" "fxsr" "avx" "fma" "f16c" "bmi1" "bmi2" "rdseed" "adx" "sha" "gfni" "avx2"
            "vaes" "vpclmulqdq" "avx512f" "avx512dq" "avx512ifma" "avx512cd" "avx512bw" "avx512vl"
            "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq"
            "avx512vp2intersect" "avx512bf16" "xsaveopt" "xsavec" "xsaves" "lzcnt" "sse4a" "tbm"
        }
    }
}
