// A container engine that is a shell script.
#pragma once

namespace sanduk::test {

// What a container engine's client does, on files: $FAKE/image, containers/NAME, exit/NAME, pid/NAME. A file fail-VERB
// makes that verb fail with its text on standard error; slow-VERB makes it wait for that many seconds first;
// after-VERB is a script that runs when it has been done.
inline constexpr const char* fake_engine = R"SH(#!/bin/sh
FAKE=$(dirname "$0")
verb=$1
case "$1 $2" in "image inspect") verb=inspect-image;; "container inspect") verb=inspect;; esac
for word in "$@"; do case $word in sanduk-*) name=$word;; --name=*) name=${word#--name=};; esac; done
echo "$verb $name" >> "$FAKE/calls"
echo "$*" >> "$FAKE/words"
[ -f "$FAKE/slow-$verb" ] && sleep "$(cat "$FAKE/slow-$verb")"
if [ -f "$FAKE/fail-$verb" ]; then cat "$FAKE/fail-$verb" >&2; exit 1; fi
mkdir -p "$FAKE/containers" "$FAKE/exit" "$FAKE/pid"
code=0
case $verb in
  inspect-image)
    if [ -f "$FAKE/image" ]; then echo "sha256:0123 $(cat "$FAKE/image")"; else echo "Error: No such image: x" >&2; code=1; fi ;;
  build) echo "Step 1/1 : FROM x"; echo 1000 > "$FAKE/image" ;;
  create)
    for key in run owner-pid owner-start state; do
      for word in "$@"; do case $word in sanduk.$key=*) printf '\t%s' "${word#*=}";; esac; done
    done > "$FAKE/labels-$name"
    mv "$FAKE/labels-$name" "$FAKE/containers/$name"; echo 0123456789 ;;
  start)
    [ -f "$FAKE/containers/$name" ] || { echo "Error: No such container: $name" >&2; exit 1; }
    setsid sh "$FAKE/agent" < /dev/null &
    echo $! > "$FAKE/pid/$name"
    wait $!
    code=$?
    [ -f "$FAKE/exit/$name" ] || echo $code > "$FAKE/exit/$name" ;;
  kill)
    if [ -f "$FAKE/pid/$name" ] && [ ! -f "$FAKE/exit/$name" ]; then
      echo 137 > "$FAKE/exit/$name"; kill -9 "-$(cat "$FAKE/pid/$name")" 2>/dev/null; echo "$name"
    else echo "Error: container $name is not running" >&2; code=1; fi ;;
  inspect)
    if [ ! -f "$FAKE/containers/$name" ]; then echo "Error: No such container: $name" >&2; exit 1; fi
    if [ -f "$FAKE/exit/$name" ]; then echo "exited $(cat "$FAKE/exit/$name") $([ -f "$FAKE/oom" ] && echo true || echo false)"
    elif [ -f "$FAKE/pid/$name" ]; then echo "running 0 false"; else echo "created 0 false"; fi ;;
  rm)
    if [ ! -f "$FAKE/containers/$name" ]; then echo "Error: No such container: $name" >&2; exit 1; fi
    [ -f "$FAKE/pid/$name" ] && kill -9 "-$(cat "$FAKE/pid/$name")" 2>/dev/null
    rm -f "$FAKE/containers/$name"; echo "$name" ;;
  ps)
    [ ! -f "$FAKE/ps" ] || exec cat "$FAKE/ps"
    for file in "$FAKE"/containers/*; do
      [ -s "$file" ] || continue
      name=${file##*/} state=created
      if [ -f "$FAKE/exit/$name" ]; then state=exited; elif [ -f "$FAKE/pid/$name" ]; then state=running; fi
      printf '%s\t%s%s\n' "$name" "$state" "$(cat "$file")"
    done ;;
  stop)
    if [ -f "$FAKE/pid/$name" ] && [ ! -f "$FAKE/exit/$name" ]; then
      echo 143 > "$FAKE/exit/$name"; kill -9 "-$(cat "$FAKE/pid/$name")" 2>/dev/null
    fi
    echo "$name" ;;
  info) echo 20.10.24 ;;
  exec) shift; [ "$1" != --interactive ] || shift 2; shift; exec "$@" ;;
  attach) echo "attached to $name" ;;
  images) cat "$FAKE/images" 2>/dev/null ;;
  image) rm -f "$FAKE/images" ;;
esac
[ -f "$FAKE/after-$verb" ] && . "$FAKE/after-$verb"
exit $code
)SH";

}  // namespace sanduk::test
