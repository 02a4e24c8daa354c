#!/usr/bin/env bash
# The relay before the real providers: `make test-live`. Never run by default, because it leaves this machine.
#
#   A bad key needs no account: each provider must answer 401 (or what it says instead) through the relay.
#   With a provider's key variable set, one small completion is made. It costs a fraction of a cent.
#   LLAMA_SERVER=http://127.0.0.1:8080 names a local server: chat, responses and messages are asked.
#
# Each part that is left out says why.
set -euo pipefail
: "${SANDUK:?is the program to test}"
cd "$(mktemp -d)"
passed=0 failed=0 skipped=0
relay=''
trap 'stop; rm -rf "$PWD"' EXIT

say() { printf '%-8s %s\n' "$1" "$2"; }
good() { passed=$((passed + 1)); say ok "$1"; }
bad() { failed=$((failed + 1)); say FAIL "$1"; }
left_out() { skipped=$((skipped + 1)); say skipped "$1"; }
stop() { if [ -n "$relay" ]; then kill "$relay" 2>/dev/null || true; wait "$relay" 2>/dev/null || true; relay=''; fi; }

start() {   # PROVIDER KEY_SOURCE [UPSTREAM]
  printf 'version = 1\ntask = "none"\n[provider]\nname = "%s"\nkey = "%s"\nkey_check = false\n%s\n' "$1" "$2" \
    "${3:+upstream = \"$3\"}" >profile.toml
  rm -f ready; mkfifo ready
  "$SANDUK" relay profile.toml --json >ready 2>log &
  relay=$!
  read -r line <ready || { cat log; return 1; }
  url=$(jq -r .url <<<"$line") token=$(jq -r .token <<<"$line")
}

ask() {   # METHOD PATH [BODY]: prints the status; the answer is in the file `answer`
  local headers=(-H "authorization: Bearer $token" -H 'anthropic-version: 2023-06-01')
  local body=(); if [ $# -gt 2 ]; then body=(-H 'content-type: application/json' --data "$3"); fi
  curl --silent --max-time 60 -o answer -w '%{http_code}' -X "$1" "${headers[@]}" "${body[@]}" "$url$2" || true
}

bad_key() {   # PROVIDER HOST METHOD PATH EXPECTED [BODY]
  if ! getent hosts "$2" >/dev/null; then left_out "$1: no way to $2 from here"; return; fi
  export BAD_KEY=sk-this-key-is-not-one-0123456789
  start "$1" env:BAD_KEY
  local status; status=$(ask "${@:3:2}" "${@:6}")
  if [[ $status =~ ^($5)$ ]]; then good "$1 refuses a bad key with $status"; else bad "$1: $status instead of $5: $(head -c 200 answer)"; fi
  stop
}

completion() {   # PROVIDER VARIABLE PATH BODY
  if [ -z "${!2:-}" ]; then left_out "$1: a completion, because $2 is not set"; return; fi
  start "$1" "env:$2"
  local status; status=$(ask POST "$3" "$4")
  if [ "$status" = 200 ] && grep -q 'in=[0-9].* out=[0-9]' log; then good "$1: $(tail -n 1 log)"; else bad "$1: $status: $(tail -n 1 log)"; fi
  stop
}

local_server() {   # PATH BODY
  local status; status=$(ask POST "$1" "$2")
  if [ "$status" = 200 ] && tail -n 1 log | grep -q 'in=[0-9].* out=[0-9]'; then good "llama-server $1: $(tail -n 1 log)"; else bad "llama-server $1: $status"; fi
}

bad_key anthropic api.anthropic.com GET /v1/models 401
bad_key openai api.openai.com GET /v1/models 401
bad_key openrouter openrouter.ai POST /api/v1/chat/completions 401 '{"model":"openai/gpt-5-mini","max_tokens":1,"messages":[]}'
bad_key gemini generativelanguage.googleapis.com GET /v1beta/models '400|401|403'
completion anthropic ANTHROPIC_API_KEY /v1/messages \
  '{"model":"claude-haiku-4-5","max_tokens":8,"messages":[{"role":"user","content":"Say hi."}]}'
completion openai OPENAI_API_KEY /v1/chat/completions \
  '{"model":"gpt-5-mini","max_completion_tokens":16,"messages":[{"role":"user","content":"Say hi."}]}'
completion openrouter OPENROUTER_API_KEY /api/v1/chat/completions \
  '{"model":"openai/gpt-5-mini","max_tokens":16,"messages":[{"role":"user","content":"Say hi."}]}'
if [ -n "${LLAMA_SERVER:-}" ]; then
  start openai-compat none "$LLAMA_SERVER"
  for streamed in false true; do
    local_server /v1/chat/completions "{\"model\":\"m\",\"max_tokens\":8,\"stream\":$streamed,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
    local_server /v1/responses "{\"model\":\"m\",\"max_output_tokens\":8,\"stream\":$streamed,\"input\":\"hi\"}"
  done
  stop
else
  left_out 'llama-server, because LLAMA_SERVER names none'
fi
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
