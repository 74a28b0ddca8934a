"""The demonstration: a server with written answers, and the tour through the main job."""
