package boxes

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// conductorHome is the folder of Conductor. Conductor divides the work into tracks, each with a plan of its own.
const conductorHome = "conductor"

// registry is the list of all tracks, usually in conductor/tracks.md. The field "folder" is the folder that contains the folders of the
// tracks.
type registry struct {
	file, folder string
	tracks       []track
	doubts       []sources.Doubt
}

type track struct {
	id, text string
	done     bool
}

// The method "of" returns the entry of the track with the given folder name, or nil if the registry does not have it.
func (g *registry) of(id string) *track {
	for i := range g.tracks {
		if g.tracks[i].id == id {
			return &g.tracks[i]
		}
	}
	return nil
}

// first returns the track with which Conductor itself would continue: the first one that is not ticked. It returns nil if there is none.
func (g *registry) first() *track {
	for i := range g.tracks {
		if !g.tracks[i].done {
			return &g.tracks[i]
		}
	}
	return nil
}

// tracks returns the plans of all tracks in a worktree, in the order of the registry. Tracks that are not in the registry come last.
func tracks(ctx context.Context, v *sources.View, t sources.Tree, k kind) []*list {
	g := readRegistry(ctx, v, t)
	if g == nil {
		return nil
	}
	k.parent = g.folder
	all := k.lists(t)
	place := func(l *list) int {
		at := slices.IndexFunc(g.tracks, func(e track) bool { return e.id == path.Base(l.name) })
		if at < 0 {
			return len(g.tracks)
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b *list) int { return place(a) - place(b) })
	for _, l := range all {
		l.track = &trackPlan{registry: g, entry: g.of(path.Base(l.name))}
	}
	return all
}

// readRegistry reads the registry, at the place that conductor/index.md names or at its usual place. It returns nil if Conductor's folder
// or the folder of the tracks does not exist.
func readRegistry(ctx context.Context, v *sources.View, t sources.Tree) *registry {
	if !t.Has(conductorHome) {
		return nil
	}
	g := &registry{file: conductorHome + "/tracks.md", folder: conductorHome + "/tracks"}
	if data, err := t.Read(conductorHome + "/index.md"); err == nil {
		g.moved(textdoc.Text(data))
	}
	if !t.Has(g.folder) {
		return nil
	}
	_, g.doubts = v.Recover(ctx, t, g.file, func(data []byte) error {
		text, err := textdoc.Markdown(data)
		if err == nil {
			g.tracks = parseTracks(text)
		}
		return err
	})
	return g
}

// indexLink matches the links in conductor/index.md that say where the registry and the folder of the tracks are.
var indexLink = textdoc.NewForm(`(?i)\[\**tracks? (registry|directory|folder)\**\]\(([^()\s]+)\)`)

// moved reads from conductor/index.md where the registry and the folder of the tracks are. It ignores a path that leads out of the worktree
// or into an archive.
func (g *registry) moved(text string) {
	for _, line := range textdoc.Visible(text) {
		for _, m := range indexLink.FindAllStringSubmatch(line.Text, 4) {
			to := path.Join(conductorHome, strings.ReplaceAll(m[2], `\`, "/"))
			switch {
			case path.IsAbs(m[2]) || to == "." || to == ".." || strings.HasPrefix(to, "../") || slices.Contains(strings.Split(to, "/"), "archive"):
			case strings.EqualFold(m[1], "registry"):
				g.file = to
			default:
				g.folder = to
			}
		}
	}
}

var (
	// trackLine matches an entry of the registry, as a list item or, in older versions, as a heading.
	trackLine = textdoc.NewForm(`^(?:#{1,6}|[-*+]) +\[([^\[\]]{1,20})\] +(.+)$`)
	// trackLink matches the link to the folder of a track, or its path as code. The path may belong to another machine, so only the part
	// after "tracks" counts.
	trackLink = textdoc.NewForm("\\]\\([^()]*\\btracks[/\\\\]([^()/\\\\\\s]+)[^()]*\\)|`[^`]*\\btracks[/\\\\]([^`/\\\\\\s]+)[^`]*`")
	// trackMark matches the mark of a track, such as [x], in a cell of a table.
	trackMark = textdoc.NewForm(`^\[([^\[\]]{1,20})\]$`)
)

// parseTracks reads the entries of the registry. There are three forms: list items, headings and a table.
func parseTracks(text string) (out []track) {
	lines := textdoc.Visible(text)
	for _, l := range lines {
		if m := trackLine.FindStringSubmatch(l.Text); m != nil {
			out = append(out, track{text: trackText(m[2]), done: isTicked(m[1])})
		}
		if m := trackLink.FindStringSubmatch(l.Text); m != nil && len(out) > 0 && out[len(out)-1].id == "" {
			out[len(out)-1].id = m[1] + m[2]
		}
	}
	for _, table := range textdoc.Tables(lines) {
		for _, row := range table.Rows {
			m := trackMark.FindStringSubmatch(table.Cell(row, "status"))
			if id := table.Cell(row, "track id", "id", "track"); m != nil && id != "" {
				out = append(out, track{id: id, text: trackText(table.Cell(row, "title", "name", "description")), done: isTicked(m[1])})
			}
		}
	}
	return slices.DeleteFunc(out, func(e track) bool { return e.id == "" })
}

var linkText = textdoc.NewForm(`^\[([^\[\]]+)\]\([^()]*\)$`)

// trackText returns the name of a track without Markdown signs and without the word "Track:".
func trackText(text string) string {
	text = strings.Trim(textdoc.OneLine(text), "* ")
	if m := linkText.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	if word, rest, ok := strings.Cut(text, ":"); ok && strings.EqualFold(word, "track") {
		text = rest
	}
	return strings.Trim(text, "* ")
}

func isTicked(mark string) bool { return strings.EqualFold(mark, "x") }

// implement returns Conductor's command that continues a track. A track that is not in the registry is named by its folder.
func (l *list) implement() string {
	text := path.Base(l.name)
	if e := l.track.entry; e != nil && e.text != "" {
		text = e.text
	}
	return quote.Command(l.kind.command+"%s", text)
}

// setUpDone is the name of the last step of Conductor's setup.
const setUpDone = "3.3_initial_track_generated"

// setUps returns the unfinished setup of Conductor in each worktree. If the folder or the registry of tracks exists, the setup is
// finished.
func setUps(ctx context.Context, v *sources.View) (out []sources.Found) {
	const file = conductorHome + "/setup_state.json"
	for _, t := range v.Trees {
		if !t.Has(conductorHome) || !t.Has(file) || t.Has(conductorHome+"/tracks") || t.Has(conductorHome+"/tracks.md") {
			continue
		}
		f := sources.Found{Source: sources.Conductor, ID: "setup", Name: "setup", Home: t.WorkTree, Root: conductorHome, Files: []string{file}, Command: "/conductor:setup", State: sources.Corrupt}
		step := ""
		ok, doubts := v.Recover(ctx, t, file, func(data []byte) error {
			value, err := textdoc.ParseJSON(data)
			step = value.Get("last_successful_step").Text()
			return err
		})
		if ok && (step == "" || step == setUpDone) {
			continue
		}
		f.Doubts, f.Headline = doubts, "the setup of Conductor is unfinished"
		if ok {
			f.State, f.Headline = sources.Interrupted, "the setup of Conductor stopped after the step "+textdoc.Shorten(textdoc.OneLine(step), 60)
			f.Point = sources.Point{Task: "setup", Title: "the setup of Conductor", Reason: "its last step was not reached, and there are no tracks"}
			f.Alternatives = []sources.Alternative{{Name: sources.Continue, Text: "continue the setup"}}
		}
		f.Active, _ = v.Written(ctx, t, file)
		f.From = "the time of setup_state.json"
		out = append(out, f)
	}
	return sources.MergeCopies(out)
}
