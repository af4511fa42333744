#!/usr/bin/env bash
# The steps of action.yml. Inputs come as environment variables, never as text of a script, so that none of them is run.
# By hand: INSTALL=none TARGET=my-target.yaml OUT=out GITHUB_OUTPUT=/dev/stdout .github/actions/embedcontract/run.sh ask
set -euo pipefail

module=github.com/embedcontract/embedcontract
releases=${EMBEDCONTRACT_RELEASES:-https://$module/releases/download}
bin=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/embedcontract-bin

fail() { echo "embedcontract action: $*" >&2; exit 2; }

# platform is the part of a release's file name that says what it runs on.
platform() {
  local os arch
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN*) os=windows ;;
    *) fail "no release for the system $(uname -s): use install: go" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no release for the machine $(uname -m): use install: go" ;;
  esac
  echo "${os}_$arch"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

# download fetches a release and unpacks it only if its checksum is the published one.
download() { # VERSION
  local archive work want is
  archive=embedcontract_$1_$(platform)
  case $archive in *windows*) archive+=.zip ;; *) archive+=.tar.gz ;; esac
  work=$(mktemp -d)
  for file in SHA256SUMS "$archive"; do
    curl --fail --silent --show-error --location --retry 3 --output "$work/$file" "$releases/$1/$file" || fail "cannot download $releases/$1/$file"
  done
  want=$(awk -v file="$archive" '$2 == file || $2 == "*" file {print $1}' "$work/SHA256SUMS")
  is=$(sha256 "$work/$archive")
  test -n "$want" || fail "SHA256SUMS of $1 does not name $archive"
  test "$want" = "$is" || fail "$archive has the SHA-256 $is, SHA256SUMS of $1 says $want: not installed"
  mkdir -p "$bin"
  case $archive in
    *.zip) unzip -q -o "$work/$archive" embedcontract.exe -d "$bin" ;;
    *) tar -xzf "$work/$archive" -C "$bin" embedcontract ;;
  esac
  rm -rf "$work"
}

install() {
  : "${INSTALL:?}"
  local version=${VERSION:-latest}
  [[ $version =~ ^(latest|v[0-9A-Za-z.+-]+)$ ]] || fail "version: $version is neither latest nor a release such as v0.1.0"
  case $INSTALL in
    go)
      mkdir -p "$bin"
      CGO_ENABLED=0 GOBIN=$bin go install "$module/harness/cmd/embedcontract@$version"
      ;;
    release)
      test "$version" != latest || fail 'install: release needs a version, such as v0.1.0'
      download "$version"
      ;;
    none) ;;
    *) fail "install: $INSTALL is none of go, release, none" ;;
  esac
  test "$INSTALL" = none || { PATH=$bin:$PATH && echo "$bin" >> "${GITHUB_PATH:-/dev/null}"; }
  command -v embedcontract >/dev/null || fail 'embedcontract is not on the path'
  embedcontract version
}

# ask leaves the exit code of the command to the steps after it, which show what was found before the last one fails.
ask() {
  : "${OUT:?say where recordings, logs and reports go}"
  [[ $OUT != *$'\n'* && $OUT != -* ]] || fail 'out: the name of a folder, on one line'
  local args=() line
  while IFS= read -r line; do
    line=${line%$'\r'}
    [[ $line != -* ]] || fail "target: $line is no target; flags go to args"
    test -z "$line" || args+=("$line")
  done <<< "${TARGET:-}"
  test -n "${args[*]-}${URL:-}" || fail 'say which server: target or url'
  test -z "${URL:-}" || args+=("--url=$URL")
  test -z "${MODEL:-}" || args+=("--model=$MODEL")
  test -z "${KEY_ENV:-}" || args+=("--api-key-env=$KEY_ENV")
  test -z "${REFERENCE:-}" || args+=("--reference=$REFERENCE")
  test -z "${BASELINE:-}" || args+=("--baseline=$BASELINE")
  while IFS= read -r line; do
    line=${line%$'\r'}
    test -z "$line" || args+=("$line")
  done <<< "${ARGS:-}"
  # What a server says is printed: the runner must not take a line of it for a command.
  local token code=0
  token=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
  embedcontract run "${args[@]}" "--out=$OUT" || code=$?
  echo "::$token::"
  { echo "exit-code=$code"; echo "report=$OUT/report.json"; } >> "${GITHUB_OUTPUT:-/dev/stdout}"
}

# meaning is an exit code in words, for where there is no report.
meaning() {
  case $1 in
    0) echo 'as expected' ;;
    1) echo 'not as expected' ;;
    2) echo 'the command line, or a file that it names, cannot be used: see the log' ;;
    3) echo 'cannot tell: a server did not start or died, or a check has no verdict; see the log' ;;
    5) echo 'nothing was executed' ;;
    *) echo "embedcontract ended with exit code $1: see the log" ;;
  esac
}

text() {
  if test -s "$OUT/report.md"; then cat "$OUT/report.md"; else echo "**embedcontract: $(meaning "$CODE")**"; fi
}

summary() { : "${OUT:?}" "${CODE:?}"; text >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"; }

# comment writes one comment for each name, and the same one at each push. A token that may not, as that of a pull request
# from a fork, is a warning: the result is that of the server.
comment() {
  : "${OUT:?}" "${CODE:?}" "${PULL_REQUEST:?}" "${GITHUB_REPOSITORY:?}"
  [[ $PULL_REQUEST =~ ^[0-9]+$ ]] || fail "no number of a pull request: $PULL_REQUEST"
  local marker file id comments=repos/$GITHUB_REPOSITORY/issues name=${NAME//[^A-Za-z0-9._-]/_}
  marker="<!-- embedcontract ${name//--/__} -->"
  file=$(mktemp)
  { echo "$marker"; text; } > "$file"
  if id=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1) &&
    if test -n "$id"; then
      gh api --method PATCH "$comments/comments/$id" --field "body=@$file" --silent
    else
      gh api --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$file" --silent
    fi; then
    echo "commented on pull request $PULL_REQUEST"
  else
    echo "::warning title=embedcontract::the comment could not be written: the job needs the permission pull-requests: write, which pull requests from forks do not have"
  fi
  rm -f "$file"
}

result() {
  : "${CODE:?the server was not asked}"
  echo "embedcontract: $(meaning "$CODE")"
  exit "$CODE"
}

case ${1:-} in
  install | ask | summary | comment | result) "$1" ;;
  *) fail 'usage: run.sh install|ask|summary|comment|result' ;;
esac
