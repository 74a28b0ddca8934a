"""Models: a spec such as `ollama:llama3.2:3b` in, something that can be asked out.

`spec` reads the text a user typed and `opening` turns it into a Model: `ollama`, `openai` or
`scripted`. `http` talks to servers, `presets` names them, `settings` is how they are asked. What
all share: `reasoning` splits thinking from answers, `first_token` reads letters from likelihoods,
`sampled` puts several draws together.
"""
