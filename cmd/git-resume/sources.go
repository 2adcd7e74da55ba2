package main

import (
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/agentmemory"
	"github.com/git-resume/git-resume/internal/sources/autoclaude"
	"github.com/git-resume/git-resume/internal/sources/boxes"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/sources/longrun"
	"github.com/git-resume/git-resume/internal/sources/orchestrate"
	"github.com/git-resume/git-resume/internal/sources/planning"
	"github.com/git-resume/git-resume/internal/sources/specloop"
)

// readers are the systems whose work is found besides our own; if two of them see the same work, the earlier one wins.
// Git's own operations come first, because nothing else can continue in a worktree before they have ended.
func readers() []sources.Source {
	return []sources.Source{
		gitops.Source{},
		autoclaude.New(),
		orchestrate.New(),
		agentmemory.New(),
		specloop.New(),
		longrun.New(),
		planning.New(),
		boxes.New(), // last, because a list may belong to work that another source knows better
	}
}
