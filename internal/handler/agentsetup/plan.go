package agentsetup

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/splice"
)

// Change says what an installation or uninstallation does to one file.
type Change struct {
	// Agents are the agents that the file is for.
	Agents []string
	Path   string
	// Was and Now are the contents before and after the change. The field Had is false if the file does not exist before the change, and
	// Has is false if it does not exist after the change.
	Was, Now []byte
	Had, Has bool
	// Err says why the file cannot be changed, or is nil.
	Err error
	// Snippet is the text that a person can add to the file by hand, if an installation cannot change the file.
	Snippet []byte

	own  bool
	file file
	// entry is what the record of all installed files will say about this file. It is nil if the record will not list the file.
	entry *fileRecord
	// settled is true if a shared file already has everything that an installation would write. Then the installation does not change the
	// entry about this file in the record of all installed files either: another installer may have written a newer entry in the meantime.
	settled bool
}

// Changes reports whether the file would be written or deleted.
func (c Change) Changes() bool {
	return c.Err == nil && (c.Had != c.Has || !bytes.Equal(c.Was, c.Now))
}

// Plan is the list of changes of one installation or uninstallation.
type Plan struct{ Changes []Change }

// Empty reports whether no file would be changed.
func (p Plan) Empty() bool {
	return !slices.ContainsFunc(p.Changes, Change.Changes)
}

// Refused returns the changes that cannot be made.
func (p Plan) Refused() []Change {
	return slices.DeleteFunc(slices.Clone(p.Changes), func(c Change) bool { return c.Err == nil })
}

// wanted is one file or setting that must be installed, and the agents that need it.
type wanted struct {
	agents.Piece
	agents []string
}

// pieces returns what must be installed for several agents. Agents that share a file, such as the skill, share one piece.
func (s *Setup) pieces(list []agents.Agent, versions map[string]string, tasks func(agents.Agent) bool) (out []wanted) {
	for _, a := range list {
		for _, p := range a.Pieces(s.Place, versions[a.Name], tasks(a)) {
			if i := slices.IndexFunc(out, func(w wanted) bool { return w.Path == p.Path }); i >= 0 {
				out[i].agents = append(out[i].agents, a.Name)
				continue
			}
			out = append(out, wanted{p, []string{a.Name}})
		}
	}
	return out
}

// PlanInstall works out what an installation changes. If the argument "tasks" is true, it also switches task lists on.
func (s *Setup) PlanInstall(list []agents.Agent, versions map[string]string, tasks bool) (Plan, error) {
	r, err := s.load()
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	for _, w := range s.pieces(list, versions, func(agents.Agent) bool { return tasks }) {
		old := r.find(w.Path)
		c := Change{Agents: w.agents, Path: w.Path, own: !w.Shared()}
		if c.file, c.Err = s.read(w.Path, c.own); c.Err == nil {
			c.Was, c.Had, c.Has = c.file.data, c.file.exists, true
			c.entry = &fileRecord{Path: w.Path, Agents: w.agents, Project: s.Place.Project, Made: !c.Had}
			if old != nil {
				c.entry.Agents = union(old.Agents, w.agents)
				c.entry.Made = c.entry.Made || old.Made
			}
			c.Err = c.fill(w.Piece, old)
		}
		if c.Changes() && c.file.kept != nil {
			c.Err = c.file.kept
		}
		if c.Err != nil {
			c.Snippet = snippet(w.Piece)
		}
		plan.Changes = append(plan.Changes, c)
	}
	return plan, nil
}

// PlanRenewal works out how to replace the commands of hooks that an earlier version installed. It returns the agents that have such hooks,
// and changes nothing but the files with these hooks. If there are none, the plan is empty.
func (s *Setup) PlanRenewal(ctx context.Context) (list []agents.Agent, p Plan, err error) {
	former := func(text []byte) bool { return !bytes.Equal(agents.Renewed(text), text) }
	for _, a := range agents.All {
		if slices.ContainsFunc(a.Pieces(s.Place, "", false), func(p agents.Piece) bool {
			f, err := s.read(p.Path, !p.Shared())
			return err == nil && former(f.data)
		}) {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return nil, Plan{}, nil
	}
	versions := s.Versions(ctx, list)
	for _, a := range list {
		if versions[a.Name] == "" && s.hasHooks(a, a.Tried) { // without its program the version is unknown, but no hook may get lost
			versions[a.Name] = a.Tried
		}
	}
	p, err = s.PlanInstall(list, versions, false)
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return !former(c.file.data) })
	return list, p, err
}

// hasHooks reports whether the agent has all hooks for a version, in this form or in that of an earlier version of git-resume.
func (s *Setup) hasHooks(a agents.Agent, version string) bool {
	return !slices.ContainsFunc(a.Pieces(s.Place, version, false), func(p agents.Piece) bool {
		f, err := s.read(p.Path, !p.Shared())
		f.data = agents.Renewed(f.data)
		missing, errLacks := lacks(p, f)
		return err != nil || errLacks != nil || len(missing) > 0
	})
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// fill works out the new content of a file, and what to record about it.
func (c *Change) fill(p agents.Piece, old *fileRecord) (err error) {
	switch {
	case !p.Shared():
		c.Now = p.Own
		if c.Had && !bytes.Equal(agents.Renewed(c.Was), p.Own) && (old == nil || old.After != hash(c.Was)) {
			err = &RefusedError{Path: p.Path, Why: "it has content that git-resume did not write"}
		}
	case p.Setting != nil:
		c.Now, c.entry.Edits, err = splice.AddTOML(c.Was, *p.Setting)
	default:
		err = c.fillJSON(p, old)
	}
	if err != nil {
		return refusal(p.Path, err)
	}
	if c.Had && bytes.Equal(c.Was, c.Now) && p.Shared() { // nothing has to be added, so the old entry of the record stays true
		c.entry, c.settled = old, true
		return nil
	}
	c.entry.After = hash(c.Now)
	if p.Shared() {
		c.entry.Before = hash(undone(c.Now, c.entry.Edits))
	}
	return nil
}

func undone(text []byte, edits []splice.Edit) []byte {
	out, _ := splice.Undo(text, edits) // this cannot fail, because text is the result of exactly these edits
	return out
}

func refusal(path string, err error) error {
	if _, ok := err.(*RefusedError); ok {
		return err
	}
	return &RefusedError{Path: path, Err: err}
}

// fillJSON adds what a shared JSON file lacks. If anything is missing, it first removes our entries and then adds all of them again. So a
// single record describes all our entries.
func (c *Change) fillJSON(p agents.Piece, old *fileRecord) error {
	entries := p.Entries
	if old != nil {
		for _, name := range slices.Sorted(maps.Keys(old.Keys)) { // keep the settings that an earlier installation added
			if !slices.ContainsFunc(entries, func(e splice.Entry) bool { return strings.Join(e.Path, ".") == name }) {
				entries = append(slices.Clone(entries), splice.Entry{Path: strings.Split(name, "."), Value: old.Keys[name]})
			}
		}
	}
	now, edits, err := splice.AddJSON(c.Was, p.Format, entries)
	if err != nil {
		return err
	}
	if len(edits) > 0 {
		clean, err := cleaned(c.Was, p.Format, old)
		if err != nil {
			return err
		}
		if now, edits, err = splice.AddJSON(clean, p.Format, entries); err != nil {
			return err
		}
	}
	c.Now, c.entry.Edits, c.entry.Keys = now, edits, keysOf(entries, edits)
	return nil
}

// keysOf returns the settings that were inserted. A setting that the file had before belongs to the user and is left out.
func keysOf(entries []splice.Entry, edits []splice.Edit) map[string]string {
	keys := map[string]string{}
	for _, entry := range entries {
		inserted := func(e splice.Edit) bool { return !e.List && e.Text != "," && slices.Equal(e.Path, entry.Path) }
		if !entry.Append && slices.ContainsFunc(edits, inserted) {
			keys[strings.Join(entry.Path, ".")] = entry.Value
		}
	}
	return keys
}

// cleaned returns a shared JSON file without our entries.
func cleaned(text []byte, f splice.Format, old *fileRecord) ([]byte, error) {
	r := splice.Removal{Under: "hooks", Ours: agents.IsOurs}
	if old != nil {
		if hash(text) == old.Before {
			return text, nil
		}
		if out, ok := splice.Undo(text, old.Edits); ok && hash(text) == old.After && hash(out) == old.Before {
			return out, nil
		}
		r.Edits, r.Keys = old.Edits, old.Keys
	}
	return splice.RemoveJSON(text, f, r)
}

// snippet returns the text that a person can add to a file that is left as it is.
func snippet(p agents.Piece) []byte {
	switch {
	case !p.Shared():
		return p.Own
	case p.Setting != nil:
		text, _, _ := splice.AddTOML(nil, *p.Setting) // this cannot fail, because the setting is added to an empty file
		return text
	}
	text, _, _ := splice.AddJSON(nil, p.Format, p.Entries)
	return text
}
