# The layer table: folder -> the layers that it may include (and, through them, theirs).
# The build makes one static library of each row; tests/lint/check_layers.py checks every #include against it.
set(SANDUK_LAYERS
  "base:"
  "diagnostics:base"
  "config:diagnostics"
  "catalog:config"
  "profile:config"
  "plan:diagnostics"
  "resolve:profile,catalog,plan,agents"
  "container:plan"
  "relay:plan"
  "agents:plan"
  "engine:container,relay,agents"
  "cli:resolve,engine"
)
