#!/usr/bin/env bash
# Builds a release from a commit: .github/release.sh v0.1.0 [COMMIT]. Static binaries for each platform, their archives and
# SHA256SUMS are written to .build/release/VERSION. The same commit and Go give the same bytes anywhere: nothing is built of
# the working tree, no path or time gets into a file, and tools that would bring their own are told not to.
# PLATFORMS="linux/amd64 darwin/arm64" builds only these.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?which version, such as v0.1.0}
commit=$(git rev-parse --verify "${2:-HEAD}^{commit}")
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
[[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$ ]] || {
  echo "release: $version is no version: v0.1.0, or v0.1.0-rc.1" >&2
  exit 2
}
tagged=$(git rev-parse --verify --quiet "refs/tags/$version^{commit}" || true)
test -z "$tagged" || test "$tagged" = "$commit" || {
  echo "release: the tag $version is the commit $tagged, not $commit" >&2
  exit 2
}

out=$PWD/.build/release/$version
mkdir -p "$PWD/.build"
work=$(mktemp -d "$PWD/.build/release.XXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"

# A clone that has the tag, so that the binary knows its version and commit, and that nothing was changed.
git clone --quiet --no-checkout --shared . "$work/source"
git -C "$work/source" -c advice.detachedHead=false checkout --quiet "$commit"
git -C "$work/source" tag --force "$version" "$commit" >/dev/null
when=$(git -C "$work/source" log -1 --format=%ct)

for platform in $platforms; do
  os=${platform%/*} arch=${platform#*/}
  folder=$work/embedcontract_${version}_${os}_$arch
  binary=embedcontract
  test "$os" != windows || binary=embedcontract.exe
  mkdir "$folder"
  echo "release: $platform" >&2
  # GOAMD64 and the like are what Go takes if nobody says otherwise; GOFLAGS of whoever builds would say otherwise.
  (cd "$work/source" && env -u GOAMD64 -u GOARM64 -u GOEXPERIMENT GOFLAGS= GOWORK=off CGO_ENABLED=0 GOOS="$os" GOARCH="$arch" \
    go build -trimpath -buildvcs=true -ldflags='-s -w -buildid=' -o "$folder/$binary" ./harness/cmd/embedcontract)
  cp "$work/source/README.md" "$folder/"
  chmod 755 "$folder/$binary"
  chmod 644 "$folder/README.md"
  TZ=UTC touch -d "@$when" "$folder"/*
  archive=$out/$(basename "$folder")
  if test "$os" = windows; then
    (cd "$folder" && TZ=UTC zip -X -q "$archive.zip" README.md "$binary")
  else
    tar -C "$folder" --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$when" -cf - README.md "$binary" | gzip -n -9 > "$archive.tar.gz"
  fi
  built=$(go version -m "$folder/$binary")
  for fact in 'mod	github.com/embedcontract/embedcontract	'"$version" 'build	CGO_ENABLED=0' 'build	-trimpath=true' "build	vcs.revision=$commit" 'build	vcs.modified=false'; do
    grep -qF "$fact" <<< "$built" || { printf 'release: %s was not built as it should be: "%s" is missing in\n%s\n' "$platform" "$fact" "$built" >&2; exit 1; }
  done
done

cd "$out"
sha256sum -- *.tar.gz *.zip 2>/dev/null > SHA256SUMS || test -s SHA256SUMS # one platform alone has one kind of archive
sha256sum --check --quiet SHA256SUMS
host=embedcontract_${version}_$(go env GOHOSTOS)_$(go env GOHOSTARCH).tar.gz
if test -e "$host"; then
  tar -xzf "$host" -C "$work" embedcontract
  (cd "$work" && ./embedcontract version | grep -F "embedcontract $version ")
fi
echo "release: $(wc -l < SHA256SUMS) archives in ${out#"$OLDPWD"/}" >&2
