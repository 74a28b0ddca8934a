"""From the files of a checkpoint to a network on a device."""
