// Package bmad reads the sprints of BMAD from version 6 on: the table of stories in sprint-status.yaml, and the files of these stories.
// The whole table is one piece of work, and its tasks are the stories. The package never starts BMAD.
package bmad

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const name = sources.BMAD

// Source finds the sprints of BMAD.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return name }

// Find reads the tables of all worktrees.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var found []sources.Found
	for _, t := range v.Trees {
		for _, under := range sources.SprintProjects(v, t) {
			if s := newest(ctx, v, t, under); s != nil {
				found = append(found, s.describe()...)
			}
		}
	}
	return sources.MergeCopies(found), nil
}

// sprint is the table of stories of one project in one worktree.
type sprint struct {
	sources.Reading
	// under is the folder of the project, which is empty or ends with a slash. The field "file" is the path of the file with the table.
	under, file string
	ok          bool
	table       *table
	// files maps story keys to story files, and touched maps story files to the time of their last commit.
	files   map[string]string
	touched map[string]time.Time
}

// newest reads the table of a project. Projects that moved to another folder often keep the former table. If there are several tables,
// newest takes the one that was written last. The result is nil if there is no table.
func newest(ctx context.Context, v *sources.View, t sources.Tree, under string) *sprint {
	files := sources.SprintTables(t, under, configured(t, under)...)
	if len(files) == 0 {
		return nil
	}
	file := files[0]
	if len(files) > 1 {
		v.Date(ctx, t, files...)
		file = slices.MaxFunc(files, func(a, b string) int {
			x, _ := v.Written(ctx, t, a)
			y, _ := v.Written(ctx, t, b)
			return x.Compare(y)
		})
	}
	s := &sprint{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, under: under, file: file, table: &table{}, touched: map[string]time.Time{}}
	s.Files = []string{s.file}
	s.ok = s.Recover(s.file, func(data []byte) error {
		read, err := parse(data)
		if err == nil {
			s.table = read
		}
		return err
	})
	if s.ok {
		s.findStories()
	}
	return s
}

// configs lists the files in which BMAD keeps its settings. folderSettings lists the settings that name a folder in which the table of
// stories may be.
var (
	configs        = []string{"_bmad/bmm/config.yaml", ".bmad/bmm/config.yaml", "bmad/bmm/config.yaml"}
	folderSettings = []string{"implementation_artifacts", "sprint_artifacts", "dev_ephemeral_location", "dev_story_location", "output_folder"}
)

// configured returns the folders that the settings of BMAD name as places for the table of stories. Only paths below {project-root} count.
func configured(t sources.Tree, under string) (out []string) {
	for _, file := range configs {
		if !t.Has(under + file) {
			continue
		}
		data, err := t.Read(under + file)
		if err != nil {
			continue // if the settings cannot be read, the table of stories is looked for only in the usual folders
		}
		for line := range strings.SplitSeq(textdoc.Text(data), "\n") {
			key, value, ok := strings.Cut(line, ":")
			if !ok || !slices.Contains(folderSettings, key) {
				continue
			}
			value, _ = word(value)
			if dir, ok := strings.CutPrefix(value, "{project-root}/"); ok && sources.IsBelow(dir) {
				out = append(out, path.Clean(dir))
			}
		}
	}
	return out
}

// findStories finds the story files in the folder of the table, in the folder that the table names, and in folders called stories.
func (s *sprint) findStories() {
	s.files = map[string]string{}
	dirs := []string{s.folder(s.table.location), path.Dir(s.file), path.Join(path.Dir(s.file), "stories"), s.under + "docs/stories"}
	bases := map[string]string{}
	for i, dir := range dirs {
		if dir == "" || slices.Contains(dirs[:i], dir) || !s.Tree.Has(dir) {
			continue
		}
		for _, e := range s.List(dir) {
			base, ok := strings.CutSuffix(strings.ToLower(e.Name()), ".md")
			if ok && !e.IsDir() && bases[base] == "" {
				bases[base] = path.Join(dir, e.Name())
			}
		}
	}
	// The title in a file name may differ from the title in the table. Then the number identifies the story.
	numbered := map[string][]string{}
	for base := range bases {
		if n := numberIn(base); n != "" {
			numbered[n] = append(numbered[n], base)
		}
	}
	for _, st := range s.table.stories {
		key := strings.ToLower(st.key)
		near := numbered[st.number]
		switch {
		case bases[key] != "":
			s.files[st.key] = bases[key]
		case bases["story-"+key] != "":
			s.files[st.key] = bases["story-"+key]
		case len(near) == 1 && s.table.numbers[st.number] == 1:
			s.files[st.key] = bases[near[0]]
		}
	}
}

// folder returns the folder in this worktree that a path in the table means. The path may come from another machine. The result is empty
// if there is no such folder.
func (s *sprint) folder(location string) string {
	location = strings.TrimPrefix(strings.ReplaceAll(location, `\`, "/"), "{project-root}/")
	if location == "" || strings.Trim(location, "./") == "" {
		return ""
	}
	if sources.IsBelow(s.under+location) && s.Tree.Has(s.under+location) {
		return path.Clean(s.under + location)
	}
	dir, _ := s.Tree.Reroot(location)
	return dir
}
