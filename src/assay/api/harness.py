"""What a command around lm-evaluation-harness needs before it imports it."""

from assay.harness.needed import refused_where_missing as refused_where_missing
