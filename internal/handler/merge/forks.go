package merge

import (
	"context"
	"path"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/settings"
)

// forks finds the remotes of a pull request: the remote of the project, and the remote of the user's own copy of the project.
type forks struct {
	ctx     context.Context
	repo    *gitstate.Repo
	config  *settings.Config
	remotes []string
}

// first returns the first remote that one of the settings names, or "" if none does. A setting that holds an address names no remote.
func (f forks) first(keys ...string) string {
	for _, key := range keys {
		if name, _ := f.config.Get(key); slices.Contains(f.remotes, name) {
			return name
		}
	}
	return ""
}

// parentOf returns the remote of the project from which the given remote was forked. This is the remote that the user chose with "gh repo
// set-default" or, if there is none, the remote called upstream. If neither fits, parentOf returns the given remote.
func (f forks) parentOf(remote string) string {
	for _, name := range f.remotes {
		if chosen, _ := f.config.Get("remote." + name + ".gh-resolved"); chosen == "base" {
			return name
		}
	}
	if !slices.Contains(f.remotes, "upstream") {
		return remote
	}
	host, own := f.server(remote)
	parentHost, parent := f.server("upstream")
	if host != parentHost || path.Base(own) != path.Base(parent) { // a remote called upstream may be an unrelated project, or a mirror on another host
		return remote
	}
	return "upstream"
}

// server returns the host and the project of a remote. Both are empty if they are not known.
func (f forks) server(remote string) (host, project string) {
	address, err := f.repo.Line(f.ctx, "remote", "get-url", remote)
	if err != nil {
		return "", ""
	}
	return serverOf(address)
}
