"""The wheel has a program in it, and no part that depends on the version of Python."""

import sysconfig

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class WithProgram(Distribution):
    def has_ext_modules(self):
        return True


class ForThisPlatform(bdist_wheel):
    def get_tag(self):
        # The program is built on Debian 12, whose libc is 2.36.
        return "py3", "none", "manylinux_2_36_" + sysconfig.get_platform().split("-")[-1]


setup(distclass=WithProgram, cmdclass={"bdist_wheel": ForThisPlatform})
