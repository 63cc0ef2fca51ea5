"""What every agent is bound to Faust with."""
