package conflicts

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate"
)

// readAttributes asks once for all files whose content may have to be merged.
func (m *merger) readAttributes(ctx context.Context) error {
	var paths []string
	for p, e := range m.paths {
		if !e.done && e.same == noMatch && typeOf(e.at[inOurs]) == fileType && typeOf(e.at[inTheirs]) == fileType {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var err error
	m.attributes, err = m.repo.Attributes(ctx, "merge", paths)
	return err
}

// mergeContent merges two versions of one type.
func (m *merger) mergeContent(ctx context.Context, path string, e *entry) (outcome, error) {
	base, ours, theirs := e.at[inBase], e.at[inOurs], e.at[inTheirs]
	out := outcome{clean: true}
	if ours.Mode != theirs.Mode && ours.Mode != base.Mode && theirs.Mode != base.Mode {
		out = outcome{kind: Mode}
	}
	if e.merged == 0 && (ours.ID == theirs.ID || ours.ID == base.ID || theirs.ID == base.ID) {
		return out, nil
	}
	if typeOf(ours) != fileType {
		return outcome{kind: sameTypeKind(e.at)}, nil
	}
	text, err := m.mergeText(ctx, path, e)
	if !out.clean && text.clean {
		text.clean, text.kind = false, Mode
	}
	if text.clean {
		m.verdict.merged = append(m.verdict.merged, path)
	}
	return text, err
}

// mergeText merges two files as the attributes of their path want it.
func (m *merger) mergeText(ctx context.Context, path string, e *entry) (outcome, error) {
	way, set := m.attributes[path]
	if !set {
		way = m.settings.defaultWay
	}
	switch {
	case m.settings.drivers(way):
		return outcome{kind: Unknown, why: fmt.Sprintf("a program of the user merges it (merge driver '%s')", way)}, nil
	case way == "unset" || way == "binary":
		return outcome{kind: Binary}, nil
	}
	kind := Content
	if typeOf(e.at[inBase]) != fileType {
		kind = AddAdd
	}
	if e.merged != 0 {
		return m.mergeOnto(ctx, e.at[other(e.merged)])
	}
	texts, err := readTexts(ctx, m.repo, e.at)
	if err != nil {
		if ctx.Err() != nil {
			return outcome{}, err
		}
		return outcome{kind: Unknown, why: err.Error()}, nil
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		return outcome{kind: Binary}, nil
	}
	if way == "union" {
		return outcome{clean: true}, nil
	}
	regions, err := lines.Merge(texts)
	if err != nil {
		return outcome{kind: Unknown, why: err.Error()}, nil
	}
	bad := slices.ContainsFunc(regions, func(r lines.Region) bool { return r.By == lines.Nobody })
	return outcome{clean: !bad, kind: kind, regions: regions, placed: true}, nil
}

// mergeOnto merges a file that was renamed, and merged, onto one that was added at its new path.
// Without a common base all that differs conflicts, except where there is nothing on the other side.
func (m *merger) mergeOnto(ctx context.Context, added gitstate.Version) (outcome, error) {
	h, err := m.repo.Hasher(ctx)
	return outcome{clean: added.ID == h.ID("blob", nil), kind: RenameAdd, why: "a renamed file meets another"}, err
}
