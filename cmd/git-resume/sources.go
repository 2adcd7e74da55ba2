package main

import (
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/agentmemory"
	"github.com/git-resume/git-resume/internal/sources/autoclaude"
	"github.com/git-resume/git-resume/internal/sources/bmad"
	"github.com/git-resume/git-resume/internal/sources/boxes"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/sources/longrun"
	"github.com/git-resume/git-resume/internal/sources/orchestrate"
	"github.com/git-resume/git-resume/internal/sources/planfiles"
	"github.com/git-resume/git-resume/internal/sources/planning"
	"github.com/git-resume/git-resume/internal/sources/specloop"
	"github.com/git-resume/git-resume/internal/sources/superpowers"
	"github.com/git-resume/git-resume/internal/sources/taskmaster"
)

// readers returns the sources, that is, the readers of other systems' work. If two find the same work, the earlier one wins.
// Git's own operations come first, because they must end before anything else can continue.
func readers() []sources.Source {
	return []sources.Source{
		gitops.Source{},
		autoclaude.New(),
		orchestrate.New(),
		agentmemory.New(),
		specloop.New(),
		longrun.New(),
		planning.New(),
		planfiles.New(),
		superpowers.New(),
		taskmaster.New(),
		bmad.New(),
		boxes.New(), // last, because another source may know more about the same list of tasks
	}
}
