package journal

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/gitstate/past"
)

func TestTrailed_whateverTheSettings(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	before, err := j.make(commit.Request{Subject: "before the settings"})
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range [][2]string{
		{"color.ui", "always"}, {"log.decorate", "full"}, {"log.abbrevCommit", "true"}, {"log.showSignature", "true"}, {"log.date", "relative"},
		{"format.pretty", "oneline"}, {"notes.displayRef", "refs/notes/*"}, {"log.follow", "true"}, {"log.mailmap", "false"}, {"log.graphColors", "red"},
		{"trailer.separators", "=#"}, {"trailer.ifexists", "doNothing"}, {"trailer.resume-run.key", "Other="}, {"core.commentChar", "R"},
		{"grep.patternType", "perl"}, {"i18n.logOutputEncoding", "UTF-16"}, {"diff.noprefix", "true"}, {"diff.external", "false"}, {"core.pager", "false"},
		{"log.diffMerges", "on"}, {"diff.renames", "copies"}, {"diff.algorithm", "patience"}, {"core.quotePath", "false"}, {"log.initialDecorationSet", "all"},
	} {
		t.Run(set[0], func(t *testing.T) {
			j.Git("config", set[0], set[1])
			made, err := j.make(commit.Request{Subject: "with a setting"})
			if err != nil {
				t.Fatal(err)
			}
			s := j.fresh()
			found, err := s.History().Trailed(context.Background(), j.id, "HEAD")
			if err != nil || len(found) != i+2 || found[0].Commit.ID != before.ID || found[i+1].Commit.ID != made.ID || found[i+1].Commit.Tree != made.Tree {
				t.Errorf("%v: %d found", err, len(found))
			}
			j.Git("config", "--unset", set[0])
			if patch, err := past.PatchID(context.Background(), s.Repo, string(made.ID)+"^", string(made.ID)); err != nil || patch != made.Patch || patch == "" {
				t.Errorf("patch id %q with the setting, %q without (%v)", made.Patch, patch, err)
			}
		})
	}
}

// fresh returns a new store, which reads the settings again.
func (j *journal) fresh() *Store { return storeAt(j.t, j.Dir, j.Env, "fresh") }

func (j *journal) make(q commit.Request) (commit.Result, error) {
	j.t.Helper()
	j.Write("made.txt", fmt.Sprint(time.Now().UnixNano()))
	q.Run, q.Task, q.Stage = j.id, "t", commit.Everything
	return commit.Make(context.Background(), j.fresh().Repo, q)
}
