"""The wheel has a program in it, and no part that depends on the version of Python."""

import re
import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class WithProgram(Distribution):
    def has_ext_modules(self):
        return True


class ForThisPlatform(bdist_wheel):
    def get_tag(self):
        # The oldest libc that has all that the program asks for: its symbols name their versions.
        program = Path("litmus/bin/litmus").read_bytes()
        libc = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", program))
        return "py3", "none", f"manylinux_2_{libc}_{sysconfig.get_platform().split('-')[-1]}"


setup(distclass=WithProgram, cmdclass={"bdist_wheel": ForThisPlatform})
