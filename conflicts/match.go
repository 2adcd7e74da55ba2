package conflicts

import (
	"slices"
	"strings"
)

// matchAny reports whether a path matches one of the patterns. A pattern may be a path or one of its parent directories. It may also
// contain "?" and "*". They match "/" too, as in git's pathspecs. A pattern without "/" also matches a file name in any directory.
func matchAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchOne(p, path) })
}

func matchOne(pattern, path string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	dir := strings.TrimSuffix(pattern, "/")
	switch {
	case dir == "":
		return false
	case path == dir || strings.HasPrefix(path, dir+"/"):
		return true
	case !strings.Contains(pattern, "/") && glob(pattern, nameOf(path)):
		return true
	}
	return glob(pattern, path) || strings.Contains(pattern, "**/") && glob(strings.ReplaceAll(pattern, "**/", ""), path)
}

// glob matches "*" and "?" byte by byte. It goes back only to the last star, so its running time is limited.
func glob(pattern, s string) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p, i = p+1, i+1
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// manifests lists the files in which projects declare their dependencies.
var manifests = []string{
	"go.mod", "go.sum", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "npm-shrinkwrap.json", "bun.lockb",
	"Cargo.toml", "Cargo.lock", "pyproject.toml", "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock", "setup.py", "setup.cfg",
	"Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts", "gradle.lockfile",
	"mix.exs", "mix.lock", "pubspec.yaml", "pubspec.lock", "Package.swift", "Package.resolved", "Podfile", "Podfile.lock",
	"environment.yml", "flake.nix", "flake.lock", "deno.json", "deno.lock", "packages.lock.json", "conanfile.txt", "vcpkg.json",
}

func isManifest(path string) bool {
	name := nameOf(path)
	return slices.Contains(manifests, name) ||
		strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt") ||
		strings.HasSuffix(name, ".gemspec") || strings.HasSuffix(name, ".csproj")
}

func nameOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
