"""`python -m assay.lm_eval …`: the command line of lm-evaluation-harness, with `--model assay`."""

from assay.interfaces.lm_eval_command import main

if __name__ == "__main__":
    main()
