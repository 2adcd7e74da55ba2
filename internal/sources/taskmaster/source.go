// Package taskmaster reads the task lists of Taskmaster, which keeps them in .taskmaster/tasks/tasks.json, and before May 2025 in
// tasks/tasks.json. Each tag of such a file is a piece of work. The package never starts Taskmaster, because Taskmaster rewrites a file in
// an old format as soon as it reads the file.
package taskmaster

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	name      = "taskmaster"
	folder    = ".taskmaster"
	formerly  = "tasks"
	listName  = "tasks.json"
	firstTag  = "master" // the tag that Taskmaster creates first
	mostTags  = 50       // after this many tags, only the current one is still reported; a file with more tags in progress is a mistake or an attack
	longestID = 200      // the maximum length of a tag's name in bytes
)

// Source finds the task lists of Taskmaster.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return name }

// Find reads the task files of all worktrees.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	folders, err := v.Folders(name, folder, "", func(t sources.Tree, dir string) bool {
		return path.Base(dir) == formerly && (t.Has(dir+"/"+listName) || len(t.Leftovers(dir+"/"+listName)) > 0)
	})
	if err != nil {
		return nil, err
	}
	var all []*project
	for _, f := range folders {
		for _, t := range f.Trees {
			all = append(all, readProject(ctx, v, t, f.Dir, strings.TrimSuffix(path.Dir(path.Dir(f.Dir)), ".")))
		}
	}
	for _, t := range v.Trees {
		if t.Has(formerly) && t.Has(formerly+"/"+listName) && !t.Has(folder+"/"+formerly+"/"+listName) {
			if p := readProject(ctx, v, t, formerly, ""); p.ours() {
				all = append(all, p)
			}
		}
	}
	var found []sources.Found
	for _, p := range all {
		found = append(found, p.describe(all)...)
	}
	return sources.MergeCopies(found), nil
}

// project is Taskmaster's task file in one worktree.
type project struct {
	sources.Reading
	// dir is the folder that contains the file. The field "under" is the folder of the project. Both are relative to the worktree.
	dir, under string
	file       string
	ok         bool
	lists      []*list
	// current is the tag that counts as the current one in this worktree. The field "stated" is the current tag according to state.json
	// or config.json.
	current, stated string
	branches        map[string]string // maps branches to their tags, according to state.json
}

func readProject(ctx context.Context, v *sources.View, t sources.Tree, dir, under string) *project {
	p := &project{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, dir: dir, under: under, file: dir + "/" + listName}
	p.Files = []string{p.file}
	p.ok = p.Recover(p.file, func(data []byte) error {
		lists, err := parse(data)
		if err == nil {
			p.lists = lists
		}
		return err
	})
	p.readState()
	p.chooseTag()
	return p
}

// readState reads the current tag and the tags of branches from state.json and config.json. Nothing else in these files is used.
func (p *project) readState() {
	p.branches = map[string]string{}
	state := p.companion("state.json")
	p.stated = state.Get("currentTag").Text()
	for _, f := range state.Get("branchTagMapping").Fields() {
		p.branches[f.Key] = f.Value.Text()
	}
	if p.stated == "" {
		p.stated = p.companion("config.json").Get("global").Get("defaultTag").Text()
	}
}

// companion reads a JSON file next to the folder of the task file. The result is empty if there is none. If the file cannot be read, the
// result is empty too, and a warning is added.
func (p *project) companion(base string) textdoc.Value {
	file := path.Join(path.Dir(p.dir), base)
	if p.dir == formerly || !p.Tree.Has(file) {
		return textdoc.Value{}
	}
	data, err := p.Tree.Read(file)
	if err == nil {
		var v textdoc.Value
		if v, err = textdoc.ParseJSON(data); err == nil {
			return v
		}
	}
	p.Doubts.Refuse(file, err)
	return textdoc.Value{}
}

// chooseTag decides which tag is current in this worktree. It takes the first of these that exists: the tag of its branch, the tag that
// state.json or config.json names, the tag "master", the first tag in the file.
func (p *project) chooseTag() {
	for _, tag := range []string{p.tagOf(p.Tree.Branch), p.stated, firstTag} {
		if tag != "" && p.list(tag) != nil {
			p.current = tag
			break
		}
	}
	if p.current == "" && len(p.lists) > 0 {
		p.current = p.lists[0].tag
	}
	if p.stated != "" && len(p.lists) > 0 && p.list(p.stated) == nil {
		p.Doubts.Add(sources.DoubtStaleMarker, info, p.file, "the current tag '%s' is not in %s; '%s' was taken instead", textdoc.OneLine(p.stated), p.file, p.current)
	}
}

// tagOf returns the tag of a branch: the one that state.json gives for it, or otherwise the name of the branch with hyphens instead of
// slashes. Without a branch, it returns "".
func (p *project) tagOf(branch refs.Name) string {
	short := refs.Short(branch)
	if tag := p.branches[short]; tag != "" || branch == "" {
		return tag
	}
	return strings.ReplaceAll(short, "/", "-")
}

func (p *project) list(tag string) *list {
	for _, l := range p.lists {
		if l.tag == tag {
			return l
		}
	}
	return nil
}

// ours reports whether a file tasks/tasks.json belongs to Taskmaster. Other tools write a file with this name too.
func (p *project) ours() bool {
	marked := p.Tree.Has(".taskmasterconfig")
	for _, e := range p.List(p.dir) {
		marked = marked || strings.HasPrefix(e.Name(), "task_") && strings.HasSuffix(e.Name(), ".txt")
	}
	if len(p.lists) == 0 {
		return marked && !p.ok
	}
	known := func(t *task) bool { return t.title != "" && t.raw != "" && (marked || t.tested) }
	return slices.ContainsFunc(p.lists, func(l *list) bool { return slices.ContainsFunc(l.tasks, known) })
}

// elsewhere reports whether the tag must be read in another worktree, because that worktree has the tag in its file and the tag's branch
// checked out. Copies on other branches are usually older or merged.
func (p *project) elsewhere(tag string, all []*project) bool {
	own := func(q *project) bool { return q.file == p.file && q.tagOf(q.Tree.Branch) == tag && q.list(tag) != nil }
	return !own(p) && slices.ContainsFunc(all, own)
}
