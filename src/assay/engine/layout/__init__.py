"""Which tokens are computed, once and in what order: shared beginnings, packed rows."""
