// Package boxes reads Markdown task lists of specification tools, and other lists that the user configures. A ticked box without boxes
// below it is a finished task. The method list.next chooses the task to continue with. The method Source.Act changes a list only if the
// chosen action ticks boxes.
package boxes

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Source finds task lists.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of this reader. In the work that it finds, Found.Source names the tool instead.
func (Source) Name() string { return sources.TaskLists }

// kind describes a tool that stores its tasks as Markdown task lists.
type kind struct {
	// name is the name of the tool. source is the word with which the keys of its work begin.
	name, source string
	// parent is a folder that contains one subfolder for each list.
	parent string
	// command is the tool's own command to continue. The field "beside" lists other documents in the folder of a task list.
	command string
	beside  []string
	// branched means that the tool creates a branch for each list.
	branched bool
	// file is the file name of the tool's lists.
	file string
	// tracked means that the lists belong to Conductor. Conductor has a registry that says which lists are closed, and writes the id of a
	// commit after each ticked box.
	tracked bool
	// marks maps marks of boxes to the meaning that the tool gives them, if this is not the usual meaning.
	marks map[string]checkpoint.TaskState
	// dated means that folder names begin with a date. The name of the branch lacks this date.
	dated bool
	// approved means that a file spec.json next to the list can say whether a person has approved the work.
	approved bool
	// section is the heading of the section with the tasks. Boxes in other sections are not tasks. If section is set, the documents are in
	// the folder "parent" itself, without subfolders.
	section string
}

var kinds = []kind{
	{name: "spec-kit", source: sources.SpecKit, parent: "specs", file: "tasks.md", command: "/speckit.implement", beside: []string{"spec.md", "plan.md"}, branched: true},
	{name: "spec-kit", source: sources.SpecKit, parent: ".specify/specs", file: "tasks.md", command: "/speckit.implement", beside: []string{"spec.md", "plan.md"}, branched: true},
	{name: "kiro", source: sources.Kiro, parent: ".kiro/specs", file: "tasks.md", beside: []string{"requirements.md", "design.md"}, approved: true,
		marks: map[string]checkpoint.TaskState{"~": checkpoint.Pending}}, // in a list of Kiro, "~" marks a task that is queued
	{name: "openspec", source: sources.OpenSpec, parent: "openspec/changes", file: "tasks.md", command: "/openspec:apply ", beside: []string{"proposal.md", "design.md"}},
	{name: "conductor", source: sources.Conductor, parent: conductorHome + "/tracks", file: "plan.md", command: "/conductor:implement ", beside: []string{"spec.md", "../../workflow.md"}, tracked: true},
	{name: "agent-os", source: sources.AgentOS, parent: ".agent-os/specs", file: "tasks.md", command: "/execute-tasks", beside: []string{"spec.md", "spec-lite.md"}, branched: true, dated: true},
	{name: "agent-os", source: sources.AgentOS, parent: "agent-os/specs", file: "tasks.md", command: "/implement-tasks", beside: []string{"spec.md", "planning/requirements.md"}, branched: true, dated: true},
	{name: "spec-workflow", source: sources.SpecWorkflow, parent: ".spec-workflow/specs", file: "tasks.md", beside: []string{"requirements.md", "design.md"},
		marks: map[string]checkpoint.TaskState{"~": checkpoint.Blocked}},
	{name: "execplans", source: sources.ExecPlans, parent: "execplans", section: "progress", beside: []string{"../PLANS.md", "../.agent/PLANS.md"}},
	{name: "execplans", source: sources.ExecPlans, parent: ".agent/execplans", section: "progress", beside: []string{"../PLANS.md"}},
}

// kindOf returns the kind whose work has this source name. If there is none, it returns a kind with only this name.
func kindOf(source string) kind {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.source == source }); i >= 0 {
		return kinds[i]
	}
	return kind{source: source}
}

// lists returns the lists of a tool in one worktree.
func (k kind) lists(t sources.Tree) (out []*list) {
	if !t.Has(k.parent) {
		return nil
	}
	entries, err := t.List(k.parent)
	if err != nil {
		return nil // the folder cannot be read, or a link leads out of the worktree
	}
	for _, e := range entries {
		if k.section != "" {
			out = append(out, k.document(t, e.Name())...)
			continue
		}
		file := k.parent + "/" + e.Name() + "/" + k.file
		if e.Name() != "archive" && t.Has(file) {
			out = append(out, &list{kind: k, tree: t, path: file, name: k.parent + "/" + e.Name()})
		}
	}
	return out
}

// list is one file with boxes in one worktree.
type list struct {
	kind kind
	tree sources.Tree
	path string
	name string // the path from which the name of the work is made

	data   []byte
	boxes  []textdoc.Box
	done   sources.Done // the sections whose headings say that they are done
	ok     bool
	doubts []sources.Doubt
	// older is true if the file itself cannot be read. The boxes, if there are any, are then those of an older version.
	older bool
	track *trackPlan // nil if the list does not belong to Conductor
	// latest has true for each task that was ticked last. These are the tasks that were ticked after the last commit of the list. If there
	// are none, they are the tasks ticked by the newest commit that ticked a box. The field is nil if neither is known.
	latest []bool
	// tickedAt is the time of the newest commit that ticked a box. It is zero if that is not known.
	tickedAt time.Time
	// approval is what spec.json says about the list. It is nil if spec.json is missing, cannot be read or says nothing about approvals.
	approval *approval
}

// Find looks in every worktree for the task lists of the tools, for those that the settings name, and for tasks/todo.md. It also finds an
// unfinished setup of Conductor.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var all []*list
	seen := map[string][]textdoc.Box{}
	for _, t := range v.Trees {
		lists, err := places(ctx, v, t)
		if err != nil {
			return nil, err
		}
		for _, l := range lists {
			if belongsElsewhere(v, l) {
				continue
			}
			if l.read(ctx, v, seen); l.ok && len(l.boxes) == 0 && len(l.doubts) == 0 {
				continue // a document without boxes is not a task list
			}
			if !l.ok && committedEmpty(ctx, v, l) {
				continue
			}
			all = append(all, l)
		}
	}
	found, err := describeLists(ctx, v, all)
	return append(found, setUps(ctx, v)...), err
}

// committedEmpty reports whether a list is empty, both in the worktree and in its last commit. A list that is empty only in the worktree
// is reported, because a killed writer may have emptied it.
func committedEmpty(ctx context.Context, v *sources.View, l *list) bool {
	empty := func(data []byte) bool { return strings.TrimSpace(textdoc.Text(data)) == "" }
	if data, err := l.tree.Read(l.path); err != nil || !empty(data) {
		return false
	}
	last, err := v.History(ctx, l.tree, l.path, 1)
	return err == nil && len(last) == 1 && empty(last[0].Data)
}

func places(ctx context.Context, v *sources.View, t sources.Tree) ([]*list, error) {
	var out []*list
	for _, k := range kinds {
		if k.tracked {
			out = append(out, tracks(ctx, v, t, k)...)
		} else {
			out = append(out, slices.DeleteFunc(k.lists(t), func(l *list) bool { return isLongRun(v, l) })...)
		}
	}
	named, err := configured(ctx, v, t)
	for _, file := range named {
		if !slices.ContainsFunc(out, func(l *list) bool { return l.path == file }) {
			out = append(out, &list{kind: kind{name: "plans", source: sources.Plans}, tree: t, path: file, name: nameOf(file)})
		}
	}
	if l := todoList(v, t); l != nil && !slices.Contains(named, l.path) {
		out = append(out, l)
	}
	return out, err
}

// isLongRun reports whether the list belongs to a long-run implementation of agent-os, and the reader for long runs is switched on. That
// reader knows more about these tasks, so the list must not be reported as a second piece of work.
func isLongRun(v *sources.View, l *list) bool {
	return l.kind.source == sources.AgentOS && l.tree.Has(path.Dir(l.path)+"/.long-run") && (v.Setting == nil || sources.Selects(v.Setting("resume.sources"), "long-run"))
}

// configured returns the Markdown files that match the pathspecs in the setting resume.plans, without the files that another reader
// handles.
func configured(ctx context.Context, v *sources.View, t sources.Tree) ([]string, error) {
	if v.Setting == nil {
		return nil, nil
	}
	specs := v.Setting("resume.plans")
	if len(specs) == 0 {
		return nil, nil
	}
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"}, specs...)
	out, err := v.Repo.At(t.Place).Git(ctx, process.Call{Args: args})
	if err != nil {
		return nil, fmt.Errorf("cannot find the lists that resume.plans names: %w", err)
	}
	var files []string
	for file := range strings.SplitSeq(string(out), "\x00") {
		if ext := strings.ToLower(path.Ext(file)); (ext == ".md" || ext == ".markdown") && t.Has(file) && !readElsewhere(v, t, file) {
			files = append(files, file)
		}
	}
	return files, nil
}

// readElsewhere reports whether a file is left to another reader, which knows more about its format.
func readElsewhere(v *sources.View, t sources.Tree, file string) bool {
	return sources.IsPlanningFile(v, file) || sources.IsSuperpowersPlan(v, t, file)
}

// general lists file names that do not describe the work, such as "todo". For these files the work is named after the folder.
var general = []string{"tasks", "task", "todo", "plan", "task_plan", "checklist", "readme", "index"}

func nameOf(file string) string {
	stem := strings.TrimSuffix(file, path.Ext(file))
	if dir := path.Dir(file); dir != "." && slices.Contains(general, strings.ToLower(path.Base(stem))) {
		return dir
	}
	return stem
}

// branchOf returns the branch that has the same name as the work, whether or not this branch exists. It returns "" for lists that no tool
// owns.
func (l *list) branchOf() refs.Name {
	if l.kind.parent == "" {
		return ""
	}
	return refs.Branch(l.slug())
}

// dateBefore matches the date at the beginning of a folder's name.
var dateBefore = textdoc.NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[-_](.+)$`)

// slug returns the name of the work: the name of its folder, without the date that some tools put before it.
func (l *list) slug() string {
	name := path.Base(l.name)
	if !l.kind.dated {
		return name
	}
	if m := dateBefore.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// belongsElsewhere reports whether the list must be read in another worktree. That worktree contains the list too, and has the branch of
// the work checked out. Copies on other branches are usually older or merged.
func belongsElsewhere(v *sources.View, l *list) bool {
	t, ok := v.OnBranch(l.branchOf())
	return ok && t.WorkTree != l.tree.WorkTree && t.Has(l.path)
}

func (l *list) read(ctx context.Context, v *sources.View, seen map[string][]textdoc.Box) {
	var hides []sources.Doubt
	l.ok, l.doubts = v.Recover(ctx, l.tree, l.path, func(data []byte) error {
		key := l.kind.source + "\x00" + string(data)
		if boxes, ok := seen[key]; ok { // identical content was already parsed in another worktree
			l.data, l.boxes = data, boxes
			return nil
		}
		text, err := textdoc.Markdown(data)
		if err != nil {
			return err
		}
		boxes, err := l.parse([]byte(text))
		if boxes == nil && err != nil {
			return &textdoc.DamageError{Why: "cannot be read as a list: " + strings.TrimPrefix(err.Error(), l.path+": ")}
		}
		if err != nil && (l.kind.section == "" || len(boxes) > 0) {
			hides = append(hides, hidden(l.path, err))
		}
		l.data, l.boxes = data, boxes
		seen[key] = boxes
		return nil
	})
	l.older = len(l.doubts) > 0
	l.doubts = append(l.doubts, hides...)
	if len(l.boxes) > 0 {
		l.done = sources.DoneSections(textdoc.Text(l.data))
	}
	if l.track != nil {
		l.track.read(l)
	}
	if l.kind.approved {
		l.readApproval()
	}
}

func (l *list) parse(data []byte) ([]textdoc.Box, error) {
	boxes, err := plan.Boxes(l.path, data)
	nest(boxes)
	switch {
	case l.kind.tracked:
		cutCommits(boxes)
	case l.kind.section != "" && boxes != nil:
		boxes = l.kind.within(boxes, textdoc.Text(data))
	}
	return boxes, err
}
