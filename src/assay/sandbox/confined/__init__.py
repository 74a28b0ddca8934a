"""The program that starts a program in confinement. It runs in a process of its own, inside the
sandbox or on the way into it, with nothing but the standard library, and imports nothing of Assay.
"""
