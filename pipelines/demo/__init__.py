"""The demo: a made-up office that is sent through the pipeline, and the proof of what did and did not come through."""
