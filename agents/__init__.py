"""The agents, one package each. A core is a pure function of a batch; agent.py alone binds it to Faust."""
