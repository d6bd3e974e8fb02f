"""`python -m fillpath`."""

import sys

from fillpath.cli import main

sys.exit(main())
