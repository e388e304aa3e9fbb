"""What builds: specs and decks that have changed, computed in processes, written, and watched."""

from seqgen.build.targets import Report as Report
from seqgen.build.targets import build as build
