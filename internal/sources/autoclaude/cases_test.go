package autoclaude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	at      = ".auto-claude/specs/005-user-auth/"
	planAt  = at + planFile
	branch5 = "auto-claude/005-user-auth"
	shared5 = ".worktrees/auto-claude"
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// The function "set" changes one field of an item in a plan; a nil value removes the field.
func set(path, id, field string, to any) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		p, err := parsePlan([]byte(r.Read(path)), sourcetest.Now)
		if err != nil {
			r.T.Fatal(err)
		}
		it, ok := p.find(id)
		if !ok {
			r.T.Fatalf("%s has no %s", path, id)
		}
		edit(r, path, textdoc.Edit{Path: append(it.at[0], field), To: to, Drop: to == nil})
	}
}

// The function "top" changes a field at the top level of a plan.
func top(path, field string, to any) sourcetest.Mutation {
	return func(r *gittest.Repo) { edit(r, path, textdoc.Edit{Path: []any{field}, To: to, Drop: to == nil}) }
}

func edit(r *gittest.Repo, path string, e textdoc.Edit) {
	r.T.Helper()
	text, err := textdoc.EditJSON([]byte(r.Read(path)), e)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Write(path, string(text))
}

// The mutation "independent" says that the items of the second phase do not build on each other.
var independent = replace(planAt, `"name": "Handlers"`, `"name": "Handlers", "parallel_safe": true`)

func status(id, word string) sourcetest.Mutation { return set(planAt, id, "status", word) }

// staging creates a branch and a worktree for it.
func staging(path, branch string) sourcetest.Mutation {
	return func(r *gittest.Repo) { r.Git("worktree", "add", "-q", "-b", branch, path) }
}

func commit(path, subject string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.In(filepath.Join(r.Dir, path)).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

func gitRun(args ...string) sourcetest.Mutation { return func(r *gittest.Repo) { r.Git(args...) } }

// copied copies a spec's folder into a worktree.
func copied(spec, tree string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		if err := os.CopyFS(filepath.Join(r.Dir, tree, spec), os.DirFS(filepath.Join(r.Dir, spec))); err != nil {
			r.T.Fatal(err)
		}
	}
}

// recorded writes build_commits.json. The file lists the tip of a branch as the commit of an item and as the last good commit.
func recorded(id, branch string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.Write(at+commitsFile, fmt.Sprintf(`{"commits":[{"hash":%q,"chunk_id":%q}],"last_good_commit":%[1]q}`, r.Git("rev-parse", branch), id))
	}
}

func do(all ...sourcetest.Mutation) func(*gittest.Repo) { return both(all...) }

func TestRequirements(t *testing.T) {
	t.Parallel()
	var all []sourcetest.Case
	for _, group := range [][]sourcetest.Case{planningCases(), siteCases(), flowCases(), statusCases(), recoveryCases(), eraCases(), trustCases(), gitCases(), copyCases(), worktreeCases(), corruptCases()} {
		all = append(all, group...)
	}
	sourcetest.Run(t, New(), all, map[string]string{
		"S3-14": "a flag of the command line, another name of --auto: shown by the script auto_claude_recovery",
		"S3-45": "uncommitted work is saved by the engine before anything goes on: shown by the script auto_claude_recovery",
		"S3-46": "watching is what 'status --watch' does for every source: shown by the script status_watch_and_prompt",
	})
}

func planningCases() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "S3-1 S3-24 S3-50 S3-54 S3-58", In: "chunks.txtar",
			Want:   `[{"source":"auto-claude","id":"005-user-auth","state":"interrupted","point":{"task":"chunk-2-1"},"protocol":{"is_first_run":false,"session":"coder","load_implementation_plan":"valid"},"files":["` + planAt + `","…"]}]`,
			Mutate: remove(planAt), Then: `[{"protocol":{"is_first_run":true,"session":"planner"}}]`},
		{IDs: "S3-2 S3-3 S3-22 S3-23 S3-42", In: "unplanned.txtar",
			Want:   `[{"state":"interrupted","point":{"task":"spec"},"wants":"*","protocol":{"is_first_run":true,"session":"planner","load_implementation_plan":null,"staging_exists":false,"scenario":3}}]`,
			Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/chunks.txtar") },
			Then:   `[{"point":{"task":"chunk-2-1"},"protocol":{"is_first_run":false,"session":"coder"}}]`},
		{IDs: "S3-4", In: "unplanned.txtar",
			Want:   `[{"tasks":[{"id":"discovery","state":"unknown"},{"id":"requirements","state":"done"},{"id":"complexity","state":"done"},{"id":"context","state":"done","evidence":"context.json"},{"id":"spec","state":"pending"},{"id":"planning","state":"pending"}],"point":{"task":"spec","reason":"there is no specification and no plan: spec_runner.py has to run first; the last finished step is 'context'"}}]`,
			Mutate: remove(at + "context.json"), Then: `[{"point":{"task":"context"}}]`},
		{IDs: "S3-4", In: "memory.txtar",
			Want:   `[{"state":"interrupted","headline":"the plan is gone; 2 chunks were worked on","point":{"title":"plan the work again"},"doubts":["…",{"code":"file-missing","path":"` + planAt + `"}]}]`,
			Mutate: remove(at + historyFile), Then: `[{"state":"not started","headline":"not planned yet"}]`},
		{IDs: "S3-5 S3-92", In: "chunks.txtar", Prepare: replace(planAt, "\"phases\": [", "\"phases\": ["+strings.Repeat("[", 3)),
			Want:   `[{"state":"corrupt","rebuilt":true,"point":{"task":"planning"},"alternatives":[{"name":"plan-again"},"…"],"protocol":{"is_first_run":false,"load_implementation_plan":"invalid"},"doubts":["…",{"code":"state-damaged"}]}]`,
			Mutate: replace(planAt, "[[[[", "["), Then: `[{"state":"interrupted","protocol":{"load_implementation_plan":"valid"}}]`},
		// a crash in the first step leaves an empty folder
		{IDs: "S3-2 S3-3", Prepare: func(r *gittest.Repo) {
			if err := os.MkdirAll(filepath.Join(r.Dir, at), 0o755); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[{"id":"005-user-auth","state":"not started","point":{"task":"discovery"},"listed":"discovery"}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Rename(filepath.Join(r.Dir, at), filepath.Join(r.Dir, ".auto-claude/specs/notes")); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[]`},
		{IDs: "S3-21", In: "chunks.txtar", Want: `[{"protocol":{"session":"coder","get_next_chunk":"chunk-2-1"}}]`,
			Mutate: both(remove(planAt), add(at+"requirements.json", "{}")), Then: `[{"protocol":{"session":"planner","get_next_chunk":null}}]`},
	}
}

func siteCases() []sourcetest.Case {
	dropped := both(gitRun("worktree", "remove", "--force", shared5), gitRun("branch", "-D", branch5))
	return []sourcetest.Case{
		{IDs: "S3-6 S3-8 S3-13 S3-53 S3-55", In: "chunks.txtar", Prepare: staging(shared5, branch5),
			Want:   `[{"protocol":{"staging_exists":true,"get_existing_build_worktree":".worktrees/auto-claude"}}]`,
			Mutate: dropped, Then: `[{"protocol":{"staging_exists":false,"get_existing_build_worktree":null}}]`},
		{IDs: "S3-7 S3-19 S3-41", In: "chunks.txtar", Prepare: staging(shared5, branch5),
			Want:   `[{"wants":null,"point":{"task":"chunk-2-1"},"alternatives":[{"name":"continue","text":"continue with chunk-2-1 in its worktree"},"…"],"protocol":{"scenario":2}}]`,
			Mutate: dropped, Then: `[{"wants":".worktrees/auto-claude","protocol":{"scenario":1}}]`},
		{IDs: "S3-20 S3-40", In: "chunks.txtar",
			Want:   `[{"wants":".worktrees/auto-claude","point":{"task":"chunk-2-1"},"alternatives":[{"name":"continue","text":"continue with chunk-2-1 in a new worktree at .worktrees/auto-claude"},"…"],"protocol":{"scenario":1,"session":"coder"}}]`,
			Mutate: staging(shared5, branch5), Then: `[{"wants":null,"protocol":{"scenario":2}}]`},
		{IDs: "S3-9", In: "chunks.txtar", Want: `[{"branch":"refs/heads/auto-claude/005-user-auth","protocol":{"branch_name":"auto-claude/005-user-auth"}}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Rename(filepath.Join(r.Dir, at), filepath.Join(r.Dir, ".auto-claude/specs/006-other")); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[{"branch":"refs/heads/auto-claude/006-other"}]`},
		{IDs: "S3-10 S3-59", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - add the table"), add(shared5+"/half", "written")),
			Want:   `[{"last":"*","start":"*","protocol":{"staging_exists":true},"tasks":[{"id":"chunk-1-1","commit":"*"},"…"]}]`,
			Mutate: dropped, Then: `[{"last":null,"protocol":{"staging_exists":false}}]`},
		{IDs: "S3-11", In: "built.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-3-1 - test"), gitRun("merge", "-q", branch5)),
			Want:   `[{"protocol":{"staging_exists":true},"state":"complete"}]`,
			Mutate: dropped, Then: `[{"protocol":{"staging_exists":false}}]`},
	}
}

func flowCases() []sourcetest.Case {
	names := `"alternatives":["…",{"name":"%s"}]`
	choice := func(name string) string { return "[{" + fmt.Sprintf(names, name) + "}]" }
	build := do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - add the table"))
	closed := both(status("chunk-2-1", "completed"), status("chunk-2-2", "completed"), status("chunk-3-1", "completed"), top(planAt, "status", "done"))
	return []sourcetest.Case{
		{IDs: "S3-12", In: "chunks.txtar subtasks.txtar", Want: `["…",{"id":"005-user-auth","name":"005-user-auth"},{"id":"034-dark-mode"}]`, Mutate: remove(at)},
		{IDs: "S3-15 S3-60", In: "chunks.txtar", Prepare: build, Want: choice(sources.Continue), Mutate: closed},
		{IDs: "S3-16", In: "chunks.txtar", Prepare: build, Want: choice(sources.ReviewIt), Mutate: both(gitRun("worktree", "remove", shared5), gitRun("branch", "-D", branch5))},
		{IDs: "S3-17", In: "chunks.txtar", Prepare: build, Want: `[{"base":"main","alternatives":["…",{"name":"merge","text":"merge the branch as it is into main"}]}]`,
			Mutate: both(gitRun("worktree", "remove", shared5), gitRun("branch", "-D", branch5))},
		{IDs: "S3-18", In: "chunks.txtar memory.txtar", Prepare: build, Act: &sources.ActionRequest{Name: sources.StartFresh},
			Want:   `{"changes":[{"path":"` + planAt + `","to":"` + at + `.archived-20261114T120000Z/implementation_plan.json"},{"path":"` + at + `memory","to":"` + at + `.archived-20261114T120000Z/memory"}]}`,
			Mutate: closed, Then: `{"error":"'start-fresh' does not apply to auto-claude:005-user-auth"}`},
	}
}

func statusCases() []sourcetest.Case {
	words := `[{"tasks":[{"id":"a","state":"pending"},{"id":"b","state":"active"},{"id":"c","state":"done"},{"id":"d","state":"blocked","raw":"blocked"},{"id":"e","state":"failed"},{"id":"f","state":"pending","raw":"not_started"},{"id":"g","state":"pending"},{"id":"h","state":"pending"},{"id":"i","state":"done"},{"id":"j","state":"skipped"},{"id":"k","state":"unknown","raw":"half-baked"}]}]`
	one := func(id, state string) string {
		return fmt.Sprintf(`[{"tasks":["…",{"id":%q,"state":%q}]}]`, id, state)
	}
	return []sourcetest.Case{
		{IDs: "S3-25", In: "words.txtar", Want: one("a", "pending"), Mutate: status("a", "completed")},
		{IDs: "S3-26", In: "words.txtar", Want: one("b", "active"), Mutate: status("b", "pending")},
		{IDs: "S3-27", In: "words.txtar", Want: one("c", "done"), Mutate: status("c", "pending")},
		{IDs: "S3-28", In: "words.txtar", Want: `[{"tasks":["…",{"id":"d","state":"blocked"}],"doubts":["…",{"code":"older-work-open","text":"d is passed over and needs a person: its status is 'blocked'"}]}]`, Mutate: status("d", "pending")},
		// what was tried before the item was blocked is told with it
		{IDs: "S3-28 S3-51", In: "chunks.txtar memory.txtar", Prepare: status("chunk-2-1", "blocked"),
			Want:   `[{"state":"blocked","questions":[{"task":"chunk-2-1","text":"chunk-2-1 needs a person (its status is 'blocked' after 2 failed attempts, the last one: tests fail again): try it again, or skip it?"}]}]`,
			Mutate: remove(at + historyFile), Then: `[{"questions":[{"text":"chunk-2-1 needs a person (its status is 'blocked'): try it again, or skip it?"}]}]`},
		{IDs: "S3-29", In: "words.txtar", Want: one("e", "failed"), Mutate: status("e", "pending")},
		{IDs: "S3-47 S3-66", In: "words.txtar", Want: words, Mutate: status("g", "completed")},
		{IDs: "S3-30 S3-57 S3-56", In: "chunks.txtar", Want: `[{"point":{"task":"chunk-2-1","reason":"it is the first open item in a phase that can begin"},"protocol":{"get_next_chunk":"chunk-2-1"}}]`,
			Mutate: status("chunk-2-1", "completed"), Then: `[{"point":{"task":"chunk-2-2"},"protocol":{"get_next_chunk":"chunk-2-2"}}]`},
		{IDs: "S3-31 S3-32", In: "chunks.txtar", Prepare: both(status("chunk-2-1", "blocked"), status("chunk-2-2", "completed")),
			Want:   `[{"state":"blocked","point":{"task":"chunk-2-1"}}]`,
			Mutate: status("chunk-2-1", "completed"), Then: `[{"state":"interrupted","point":{"task":"chunk-3-1"}}]`},
		{IDs: "S3-33", In: "words.txtar", Prepare: both(status("b", "completed"), status("d", "completed")), Want: `[{"point":{"task":"a"},"questions":null}]`, Mutate: status("a", "completed"),
			Then: `[{"state":"blocked","point":{"task":"e","reason":"it needs a person, and the chunks after it may build on it: it failed"},"questions":[{"task":"e"}]}]`},
		// the phase says that its items do not build on each other, so the failed one is passed over
		{IDs: "S3-33", In: "words.txtar", Prepare: both(both(status("a", "completed"), status("b", "completed")), replace(planAt, `"name": "All"`, `"name": "All", "parallel_safe": true`)),
			Want:   `[{"point":{"task":"f"},"doubts":["…",{"code":"older-work-open","severity":"warning","text":"e failed and is passed over; the choice 'reset' sets it back to pending, so that it is tried again"}]}]`,
			Mutate: status("e", "completed"), Then: `[{"point":{"task":"f"}}]`},
		// a later phase that does not depend on the failed item's phase can begin
		{IDs: "S3-33", In: "chunks.txtar", Prepare: status("chunk-2-1", "failed"), Want: `[{"state":"blocked","point":{"task":"chunk-2-1"},"stands":"chunk 3 of 5"}]`,
			Mutate: replace(planAt, "\"depends_on\": [\n        2\n      ]", `"depends_on": [1]`), Then: `[{"state":"interrupted","point":{"task":"chunk-3-1"}}]`},
		{IDs: "S3-33", In: "chunks.txtar", Prepare: both(status("chunk-2-1", "failed"), status("chunk-2-2", "in_progress")), Want: `[{"state":"interrupted","point":{"task":"chunk-2-2","reason":"it was in progress"}}]`,
			Mutate: status("chunk-2-2", "pending"), Then: `[{"state":"blocked","point":{"task":"chunk-2-1"}}]`},
		{IDs: "S3-48", In: "chunks.txtar", Prepare: add(at+logsFile, `{"phases":{"planning":{"status":"completed"},"coding":{"status":"active"},"validation":{"status":"pending"}}}`),
			Want: `[{"protocol":{"task_logs":"coding"}}]`, Mutate: replace(at+logsFile, `"validation":{"status":"pending"}`, `"validation":{"status":"active"}`), Then: `[{"protocol":{"task_logs":"validation"}}]`},
		{IDs: "S3-51", In: "chunks.txtar memory.txtar", Want: `[{"tasks":[{"id":"chunk-1-1","attempts":1},{"id":"chunk-1-2"},{"id":"chunk-2-1","attempts":2},"…"]}]`, Mutate: remove(at + historyFile)},
		{IDs: "S3-52", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "table"), recorded("chunk-1-1", branch5)),
			Want: `[{"last":"*","tasks":[{"id":"chunk-1-1","commit":"*","evidence":"*"},{"id":"chunk-1-2","commit":null},"…"]}]`, Mutate: remove(at + commitsFile)},
	}
}

func recoveryCases() []sourcetest.Case {
	reset := &sources.ActionRequest{Name: sources.Reset}
	return []sourcetest.Case{
		{IDs: "S3-34 S3-49", In: "crashed.txtar", Act: reset, Want: `{"changes":[{"path":"` + planAt + `","now":"*"}]}`, Mutate: status("chunk-2-1", "pending"), Then: `{"error":"'reset' does not apply to auto-claude:005-user-auth"}`},
		{IDs: "S3-36", In: "chunks.txtar", Prepare: status("chunk-2-2", "failed"), Act: reset, Want: `{"changes":[{"path":"` + planAt + `","now":"*"}]}`, Mutate: status("chunk-2-2", "pending"), Then: `{"error":"*"}`},
		{IDs: "S3-35", In: "crashed.txtar", Act: &sources.ActionRequest{Name: sources.Reset, Task: "chunk-1-1"}, Want: `{"error":"chunk-1-1 of auto-claude:005-user-auth is completed, so it cannot be set back to pending"}`,
			Mutate: status("chunk-1-1", "in_progress"), Then: `{"changes":["*"]}`},
		{IDs: "S3-37", In: "crashed.txtar", Want: `[{"tasks":["…",{"id":"chunk-2-1","began":"2025-12-12T10:50:00Z"}]}]`, Mutate: done(reset), Then: `[{"tasks":["…",{"id":"chunk-2-1","state":"pending","began":null}],"point":{"task":"chunk-2-1"}}]`},
		{IDs: "S3-39", In: "crashed.txtar", Want: `[{"protocol":{"recoveryNote":null}}]`, Mutate: done(reset), Then: `[{"protocol":{"recoveryNote":"git resume set chunk-2-1 back to pending at 2026-11-14T12:00:00.000Z"}}]`},
		{IDs: "S3-38", In: "crashed.txtar status.txtar", Prepare: replace(statusFile, "2025-12-12T11:00:00Z", "2026-11-14T11:59:00Z"), Act: reset,
			Want: `{"error":"auto-claude:005-user-auth seems to be running; stop it first"}`, Mutate: replace(statusFile, "11:59:00Z", "09:59:00Z"), Then: `{"changes":["*"]}`},
		{IDs: "S3-43", In: "unplanned.txtar", Prepare: staging(shared5, branch5), Want: `[{"state":"interrupted","wants":null,"protocol":{"session":"planner","scenario":3,"staging_exists":true}}]`,
			Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/chunks.txtar") }, Then: `[{"protocol":{"session":"coder","scenario":2}}]`},
		{IDs: "S3-44", In: "crashed.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-2 - more")),
			Want:   `[{"state":"interrupted","point":{"task":"chunk-2-1","reason":"it was in progress"},"last":"*","protocol":{"scenario":4,"get_next_chunk":"chunk-2-2"}}]`,
			Mutate: done(&sources.ActionRequest{Name: sources.Continue}), Then: `[{"point":{"task":"chunk-2-1"},"last":"*","protocol":{"scenario":2,"get_next_chunk":"chunk-2-1"}}]`},
	}
}

// The function "done" carries out an action and writes the resulting changes to disk.
func done(w *sources.ActionRequest) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		changes := act(r, *w)
		if len(changes) == 0 {
			r.T.Fatal("nothing was to be done")
		}
		apply(r, changes)
	}
}

func act(r *gittest.Repo, w sources.ActionRequest) []sources.Change {
	r.T.Helper()
	v, closeView := sourcetest.View(r)
	defer closeView()
	found, err := New().Find(r.T.Context(), v)
	if err != nil || len(found) == 0 {
		r.T.Fatal(found, err)
	}
	changes, err := New().Act(r.T.Context(), v, &found[0], w)
	if err != nil {
		r.T.Fatal(err)
	}
	return changes
}

func apply(r *gittest.Repo, changes []sources.Change) {
	r.T.Helper()
	check := func(err error) {
		if err != nil {
			r.T.Helper()
			r.T.Fatal(err)
		}
	}
	for _, c := range changes {
		full := filepath.Join(c.Tree, filepath.FromSlash(c.Path))
		if was, err := os.ReadFile(full); c.Was != nil && (err != nil || string(was) != string(c.Was)) {
			r.T.Fatalf("%s is not what the change was worked out from: %v", c.Path, err)
		}
		check(os.MkdirAll(filepath.Dir(full), 0o755))
		to := filepath.Join(c.Tree, filepath.FromSlash(c.To))
		switch {
		case c.Gone:
			check(os.Remove(full))
		case c.To == "":
			check(os.WriteFile(full, c.Now, 0o644))
		default:
			if c.Now != nil {
				check(os.WriteFile(full, c.Now, 0o644))
			}
			check(os.MkdirAll(filepath.Dir(to), 0o755))
			check(os.Rename(full, to))
		}
	}
}

func eraCases() []sourcetest.Case {
	dark := ".auto-claude/specs/034-dark-mode/"
	dplan := dark + planFile
	place := func(path, branch string) string {
		return `[{"protocol":{"staging_exists":true,"get_existing_build_worktree":"` + path + `"},"branch":"refs/heads/` + branch + `"}]`
	}
	moved := func(path, to string) sourcetest.Mutation {
		return both(add(".worktrees/.gitignore", "*"), gitRun("worktree", "move", path, to))
	}
	return []sourcetest.Case{
		{IDs: "S3-61", In: "subtasks.txtar", Prepare: staging(".auto-claude/worktrees/tasks/034-dark-mode", "auto-claude/034-dark-mode"),
			Want: place(".auto-claude/worktrees/tasks/034-dark-mode", "auto-claude/034-dark-mode"), Mutate: moved(".auto-claude/worktrees/tasks/034-dark-mode", ".worktrees/034-dark-mode"),
			Then: place(".worktrees/034-dark-mode", "auto-claude/034-dark-mode")},
		{IDs: "S3-61 S3-62", In: "autobuild.txtar", Prepare: staging(".worktrees/auto-build", "auto-build/001-first"), Want: place(".worktrees/auto-build", "auto-build/001-first"),
			Mutate: gitRun("worktree", "remove", ".worktrees/auto-build"), Then: `[{"id":"001-first","wants":".worktrees/auto-build","branch":"refs/heads/auto-build/001-first","command":"python auto-build/run.py --spec 001-first"}]`},
		{IDs: "S3-61", In: "subtasks.txtar", Prepare: replace(dplan, "2026-01-20", "2025-12-20"), Want: `[{"wants":".worktrees/034-dark-mode","protocol":{"era":"b"}}]`,
			Mutate: replace(dplan, "2025-12-20", "2026-01-20"), Then: `[{"wants":".auto-claude/worktrees/tasks/034-dark-mode","protocol":{"era":"c"}}]`},
		// The date of a plan that lists chunks says nothing while no spec shows that its Auto-Claude gives each spec a worktree.
		{IDs: "S3-20 S3-61", In: "chunks.txtar", Prepare: replace(planAt, "2025-12-12", "2026-10-01"), Want: `[{"wants":".worktrees/auto-claude","protocol":{"era":"a"}}]`,
			Mutate: staging(".worktrees/004-cart", "auto-claude/004-cart"), Then: `[{"wants":".worktrees/005-user-auth","protocol":{"era":"b"}}]`},
		{IDs: "S3-20 S3-61", In: "subtasks.txtar", Prepare: replace(dplan, "2026-01-20", "2025-12-20"), Want: `[{"wants":".worktrees/034-dark-mode"}]`,
			Mutate: add("auto-claude/worktree.py", "STAGING_WORKTREE_NAME = \"auto-claude\"\n"), Then: `[{"wants":".worktrees/auto-claude"}]`},
		// A later plan must not hide that run.py would build this spec on the branch of another one.
		{IDs: "S3-84", In: "chunks.txtar", Prepare: both(replace(planAt, "2025-12-12", "2026-10-01"), staging(shared5, "auto-claude/004-other")),
			Want: `[{"wants":".worktrees/auto-claude","doubts":["…",{"code":"worktree-unusable","severity":"blocking"}]}]`, Mutate: gitRun("worktree", "remove", "--force", shared5), Then: `[{"wants":".worktrees/auto-claude","doubts":[{"code":"branch-missing"}]}]`},
		{IDs: "S3-63", In: "chunks.txtar", Prepare: both(replace(planAt, `"chunks"`, `"subtasks"`), secondList("2025-12-12T12:00:00Z")),
			Want: `[{"point":{"task":"chunk-1-2"}}]`, Mutate: secondList("2025-12-12T09:00:00Z"), Then: `[{"point":{"task":"chunk-2-1"}}]`},
		{IDs: "S3-64", In: "subtasks.txtar", Want: `[{"id":"034-dark-mode","active":"2026-01-20T11:00:00Z","from":"plan","tasks":[{"id":"subtask-1-1","title":"do subtask-1-1","phase":"Base"},"…"],"protocol":{"subtasks":{"completed":2,"total":5}}}]`,
			Mutate: replace(dplan, `"subtask_id": "subtask-1-1"`, `"subtask_id": "subtask-9-9"`)},
		{IDs: "S3-65", In: "subtasks.txtar", Prepare: both(set(dplan, "subtask-2-1", "status", "completed"), set(dplan, "subtask-2-2", "status", "blocked")),
			Want: `[{"state":"blocked","point":{"task":"subtask-2-2"}}]`, Mutate: replace(dplan, `"depends_on": "phase-2-ui"`, `"depends_on": [1]`), Then: `[{"point":{"task":"subtask-3-1"}}]`},
		// the items are numbered in the order in which they are worked on, and not in that of the file
		{IDs: "S3-65", In: "words.txtar", Prepare: add(planAt, `{"phases":[{"phase":2,"name":"Form","depends_on":[1],"chunks":[{"id":"chunk-3","status":"pending"}]},{"phase":1,"name":"Base","chunks":[{"id":"chunk-1","status":"completed"},{"id":"chunk-2","status":"pending"}]}]}`),
			Want:   `[{"stands":"chunk 2 of 3","tasks":[{"id":"chunk-1"},{"id":"chunk-2"},{"id":"chunk-3"}]}]`,
			Mutate: replace(planAt, `"depends_on":[1],`, ""), Then: `[{"stands":"chunk 1 of 3","tasks":[{"id":"chunk-3"},{"id":"chunk-1"},{"id":"chunk-2"}]}]`},
		{IDs: "S3-65", In: "chunks.txtar", Prepare: replace(planAt, "\"depends_on\": [\n        2\n      ]", `"depends_on": ["Handlers"]`),
			Want: `[{"point":{"task":"chunk-2-1"}}]`, Mutate: both(status("chunk-2-1", "completed"), status("chunk-2-2", "completed")), Then: `[{"point":{"task":"chunk-3-1"}}]`},
		{IDs: "S3-65", In: "chunks.txtar", Prepare: replace(planAt, "\"depends_on\": [\n        1\n      ]", `"depends_on": ["nowhere"]`),
			Want: `[{"point":{"task":"chunk-2-1"},"doubts":["…",{"code":"needs-unknown"}]}]`, Mutate: replace(planAt, `["nowhere"]`, `null`), Then: `[{"point":{"task":"chunk-2-1"}}]`},
		{IDs: "S3-67", In: "qaonly.txtar", Want: `[{"id":"045-usage","state":"review","point":{"task":"qa"},"protocol":{"session":"qa","qa_signoff":"fixes_applied"}}]`,
			Mutate: replace(planFile, "fixes_applied", "rejected"), Then: `[{"state":"review","point":{"task":"qa-fix"}}]`},
	}
}

// secondList adds a second list, named "chunks", to the first phase. One item in it is not completed.
func secondList(updated string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		edit(r, planAt, textdoc.Edit{Path: []any{"phases", 0, "chunks"}, To: []map[string]string{
			{"id": "chunk-1-1", "status": "completed", "updated_at": updated}, {"id": "chunk-1-2", "status": "pending", "updated_at": updated}}})
		edit(r, planAt, textdoc.Edit{Path: []any{"phases", 0, "subtasks", 0, "updated_at"}, To: "2025-12-12T10:30:00Z"})
	}
}

func trustCases() []sourcetest.Case {
	used := `"doubts":["…",{"code":"attempts-used-up","text":"chunk-2-2 is left out: stuck: needs a key"}]`
	return []sourcetest.Case{
		{IDs: "S3-68", In: "chunks.txtar", Prepare: both(top(planAt, "status", "done"), top(planAt, "planStatus", "completed")),
			Want: `[{"state":"interrupted","status":"done","point":{"task":"chunk-2-1"},"doubts":["…",{"code":"status-word"}]}]`, Mutate: both(status("chunk-2-1", "completed"), status("chunk-2-2", "completed"), status("chunk-3-1", "completed")), Then: `[{"state":"complete"}]`},
		{IDs: "S3-69", In: "chunks.txtar", Prepare: both(status("chunk-2-1", "completed"), status("chunk-2-2", "in_progress")), Want: `[{"point":{"task":"chunk-2-2","reason":"it was in progress"},"protocol":{"get_next_chunk":null}}]`,
			Mutate: status("chunk-2-2", "pending"), Then: `[{"point":{"task":"chunk-2-2"},"protocol":{"get_next_chunk":"chunk-2-2"}}]`},
		// The first open item must come next. The later item that was interrupted must be reported.
		{IDs: "S3-69", In: "chunks.txtar", Prepare: status("chunk-2-2", "in_progress"),
			Want:   `[{"point":{"task":"chunk-2-1"},"doubts":["…",{"code":"status-disagrees","text":"chunk-2-2 was in progress, but chunk-2-1 comes before it and is not done; chunk-2-2 is set back to pending and comes later"}]}]`,
			Mutate: done(&sources.ActionRequest{Name: sources.Continue}), Then: `[{"point":{"task":"chunk-2-1"},"protocol":{"get_next_chunk":"chunk-2-1"}}]`},
		// An item of a waiting phase must not come next, even if it was interrupted. It must be reported.
		{IDs: "S3-69", In: "chunks.txtar", Prepare: status("chunk-3-1", "in_progress"),
			Want:   `[{"point":{"task":"chunk-2-1"},"doubts":["…",{"code":"status-disagrees","text":"chunk-3-1 was in progress, but its phase 'Tests' waits for another phase; chunk-3-1 is set back to pending and comes later"}]}]`,
			Mutate: status("chunk-2-1", "completed"), Then: `[{"point":{"task":"*"}}]`},
		{IDs: "S3-70", In: "built.txtar", Prepare: status("chunk-3-1", "in_progress"), Want: `[{"state":"interrupted","point":{"task":"chunk-3-1"},"protocol":{"get_next_chunk":null}}]`, Mutate: status("chunk-3-1", "completed"), Then: `[{"state":"review"}]`},
		{IDs: "S3-71", In: "built.txtar", Want: `[{"state":"review","point":{"task":"merge"}}]`, Mutate: top(planAt, "qa_signoff", nil), Then: `[{"state":"review","point":{"task":"qa"}}]`},
		{IDs: "S3-71", In: "built.txtar", Prepare: top(planAt, "status", "pr_created"), Want: `[{"state":"complete","point":{"task":null}}]`, Mutate: replace(planAt, `"approved"`, `"rejected"`), Then: `[{"state":"review","point":{"task":"qa-fix"},"doubts":["…",{"code":"status-word"}]}]`},
		{IDs: "S3-72", In: "chunks.txtar", Prepare: both(top(planAt, "phases", []any{}), top(planAt, "status", "human_review")), Want: `[{"state":"interrupted","point":{"task":"planning"},"protocol":{"session":"planner"}}]`,
			Mutate: top(planAt, "status", "backlog"), Then: `[{"state":"not started","point":{"task":"planning"}}]`},
		{IDs: "S3-73", In: "built.txtar status.txtar", Prepare: replace(statusFile, "building", "complete"), Want: `[{"state":"review","doubts":["…",{"code":"stale-marker","path":".auto-claude-status"}]}]`,
			Mutate: both(replace(statusFile, `"active": true`, `"active": false`), replace(statusFile, `"completed": 2`, `"completed": 5`))},
		{IDs: "S3-73", In: "chunks.txtar status.txtar", Want: `[{"state":"interrupted","doubts":["…",{"code":"stale-marker"}]}]`, Mutate: replace(statusFile, "2025-12-12T11:00:00Z", "2026-11-14T11:58:00Z"), Then: `[{"state":"running"}]`},
		{IDs: "S3-73", In: "status.txtar", Want: `[{"id":"005-user-auth","state":"unknown","protocol":{"status_file":{"active":true,"completed":2,"total":5}}}]`, Mutate: replace(statusFile, `"completed": 2`, `"completed": 3`)},
		{IDs: "S3-74", In: "chunks.txtar", Prepare: add(at+pauseFile, ""), Want: `[{"state":"paused","point":{"task":"chunk-2-1"}}]`, Mutate: remove(at + pauseFile), Then: `[{"state":"interrupted"}]`},
		{IDs: "S3-74", In: "chunks.txtar status.txtar", Prepare: replace(statusFile, "building", "paused"), Want: `[{"state":"paused"}]`, Mutate: replace(statusFile, "paused", "building"), Then: `[{"state":"interrupted"}]`},
		{IDs: "S3-75", In: "chunks.txtar stuck.txtar", Want: `[{"state":"blocked","point":{"task":"chunk-2-1"},"questions":[{"task":"chunk-2-1"},{"task":"chunk-2-2"}],` + used + `}]`,
			Mutate: replace(at+historyFile, `"chunk_id": "chunk-2-2"`, `"chunk_id": "chunk-9-9"`), Then: `[{"state":"blocked","point":{"task":"chunk-2-1"},"questions":[{"task":"chunk-2-1"}]}]`},
		{IDs: "S3-75", In: "chunks.txtar stuck.txtar", Prepare: status("chunk-2-1", "completed"), Want: `[{"state":"blocked","point":{"task":"chunk-2-2"}}]`,
			Mutate: status("chunk-2-2", "completed"), Then: `[{"state":"interrupted","point":{"task":"chunk-3-1"}}]`},
		{IDs: "S3-75", In: "crashed.txtar stuck.txtar", Want: `[{"state":"blocked","doubts":["…",{"code":"attempts-used-up","text":"chunk-2-1 is left out: 3 failed attempts, the last one: tests fail"}]}]`,
			Mutate: both(status("chunk-2-1", "completed"), status("chunk-2-2", "completed")), Then: `[{"state":"interrupted","point":{"task":"chunk-3-1"},"questions":null}]`},
	}
}

func gitCases() []sourcetest.Case {
	build := do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - add the table"))
	return []sourcetest.Case{
		{IDs: "S3-51", In: "chunks.txtar memory.txtar", Prepare: status("chunk-2-1", "failed"),
			Want:   `[{"doubts":["…",{"code":"older-work-open","text":"chunk-2-1 failed (tests fail again); the choice 'reset' sets it back to pending, so that it is tried again"}]}]`,
			Mutate: status("chunk-2-1", "pending"), Then: `[{"point":{"task":"chunk-2-1"},"context":["chunk-2-1: 2 failed attempts, the last one: tests fail again","chunk-2-1 failed with this approach: first (tests fail)","chunk-2-1 failed with this approach: second (tests fail again)"]}]`},
		{IDs: "S3-76", In: "chunks.txtar memory.txtar", Prepare: build, Want: `[{"tasks":[{"id":"chunk-1-1","commit":"*"},{"id":"chunk-1-2","commit":null},"…"],"doubts":["…",{"code":"commit-gone","text":"1 of 1 recorded commit is neither on its branch nor in its base; for 1 of them, another commit names the same item"}]}]`,
			Mutate: recorded("chunk-1-1", branch5)},
		{IDs: "S3-76", In: "chunks.txtar", Prepare: do(gitRun("commit", "-q", "--allow-empty", "-m", "auto-claude: chunk-1-1 - of another spec"), staging(shared5, branch5)),
			Want: `[{"tasks":[{"id":"chunk-1-1","commit":null},"…"]}]`, Mutate: commit(shared5, "auto-claude: Complete chunk-1-1 - here"), Then: `[{"tasks":[{"id":"chunk-1-1","commit":"*"},"…"]}]`},
		{IDs: "S3-77", In: "crashed.txtar", Prepare: do(build, commit(shared5, "auto-claude: chunk-2-1 - handlers")), Want: `[{"point":{"task":"chunk-2-1"},"doubts":["…",{"code":"done-not-marked"}]}]`, Mutate: status("chunk-2-1", "completed")},
		{IDs: "S3-78", In: "chunks.txtar", Prepare: build, Want: `[{"doubts":["…",{"code":"done-no-evidence","text":"completed, but no commit or change proves it: chunk-1-2"}]}]`, Mutate: add(shared5+"/src/chunk-1-2.go", "package src\n")},
		{IDs: "S3-79", In: "chunks.txtar memory.txtar", Prepare: staging(shared5, branch5), Want: `[{"start":"*","last":"*","protocol":{"last_good_commit":null}}]`,
			Mutate: both(gitRun("worktree", "remove", shared5), gitRun("branch", "-D", branch5)), Then: `[{"last":null}]`},
	}
}

func copyCases() []sourcetest.Case {
	inTree := shared5 + "/" + planAt
	two := do(staging(shared5, branch5), copied(at, shared5), set(inTree, "chunk-2-1", "status", "completed"))
	return []sourcetest.Case{
		{IDs: "S3-80", In: "chunks.txtar", Prepare: two, Want: `[{"point":{"task":"chunk-2-2"},"doubts":["…",{"code":"copies-differ","text":"the worktree auto-claude says 3 of 5 are done, but the main worktree says 2 of 5; the worktree auto-claude is used"}]}]`,
			Mutate: both(status("chunk-1-2", "completed"), set(inTree, "chunk-2-1", "status", "pending")), Then: `[{"point":{"task":"chunk-2-1"}}]`},
		{IDs: "S3-80", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), copied(at, shared5), set(inTree, "chunk-2-1", "status", "in_progress"), top(inTree, "updated_at", "2025-12-12T11:30:00Z")),
			Want: `[{"point":{"task":"chunk-2-1","reason":"it was in progress"}}]`, Mutate: top(planAt, "updated_at", "2025-12-12T11:45:00Z"), Then: `[{"point":{"task":"chunk-2-1","reason":"it is the first open item in a phase that can begin"}}]`},
		// A plan that only the worktree still has must be known as lost, and must be put back instead of being made again.
		{IDs: "S3-1 S3-58 S3-80", In: "chunks.txtar", Prepare: do(two, remove(planAt)), Want: `[{"state":"interrupted","point":{"task":"chunk-2-2"},"doubts":["…",{"code":"file-missing","severity":"warning","path":"` + planAt + `"}],"alternatives":["…",{"name":"repair"}]}]`,
			Mutate: done(&sources.ActionRequest{Name: sources.Continue}), Then: `[{"point":{"task":"chunk-2-2"},"doubts":[{"code":"done-no-evidence"}]}]`},
		{IDs: "S3-81", In: "subtasks.txtar", Prepare: copied(".auto-claude/specs/034-dark-mode", ".auto-claude/worktrees/tasks/034-dark-mode"),
			Want:   `[{"id":"034-dark-mode","root":".auto-claude/specs/034-dark-mode","protocol":{"staging_exists":false},"doubts":["…",{"code":"worktree-unusable","path":".auto-claude/worktrees/tasks/034-dark-mode"}]}]`,
			Mutate: both(remove(".auto-claude/worktrees/tasks/034-dark-mode"), staging(".auto-claude/worktrees/tasks/034-dark-mode", "auto-claude/034-dark-mode")), Then: `[{"protocol":{"staging_exists":true}}]`},
		{IDs: "S3-82", In: "chunks.txtar", Prepare: add(".gitignore", ".auto-claude/\n"), Want: `[{"id":"005-user-auth"}]`, Mutate: remove(".auto-claude"), Then: `[]`},
	}
}

func worktreeCases() []sourcetest.Case {
	none := both(gitRun("worktree", "remove", "--force", shared5))
	return []sourcetest.Case{
		{IDs: "S3-83", In: "chunks.txtar", Prepare: add(shared5+"/file", "x"), Want: `[{"wants":".worktrees/auto-claude","protocol":{"staging_exists":false},"doubts":["…",{"code":"worktree-unusable","severity":"blocking","path":".worktrees/auto-claude","text":".worktrees/auto-claude is a plain folder, not a worktree: git commands in it would act on the repository around it; move it away first with mv .worktrees/auto-claude .worktrees/auto-claude.mine"}]}]`,
			Mutate: both(remove(shared5), staging(shared5, branch5)), Then: `[{"protocol":{"staging_exists":true}}]`},
		{IDs: "S3-84", In: "chunks.txtar", Prepare: staging(shared5, "auto-claude/004-other"), Want: `[{"id":"005-user-auth","wants":".worktrees/auto-claude","protocol":{"staging_exists":false},"doubts":["…",{"code":"worktree-unusable","severity":"blocking","text":".worktrees/auto-claude belongs to 'auto-claude/004-other', not to this spec; Auto-Claude's run.py would build this spec in that worktree, so first remove the worktree with git worktree remove .worktrees/auto-claude"}]}]`,
			Mutate: both(none, staging(shared5, branch5)), Then: `[{"protocol":{"staging_exists":true}}]`},
		{IDs: "S3-88", In: "chunks.txtar", Prepare: gitRun("worktree", "add", "-q", "--detach", shared5),
			Want:   `[{"doubts":["…",{"code":"worktree-unusable","severity":"blocking","text":".worktrees/auto-claude is a worktree with a detached HEAD; check out the branch there first: git -C .worktrees/auto-claude checkout -b auto-claude/005-user-auth"}]}]`,
			Mutate: commit(shared5, "something"), Then: `[{"doubts":["…",{"code":"worktree-unusable","severity":"blocking","text":".worktrees/auto-claude is a worktree with a detached HEAD; move it away first with git worktree move .worktrees/auto-claude .worktrees/auto-claude.mine"}]}]`},
		// once the other spec is merged, its merge would free nothing: the worktree has to be removed
		{IDs: "S3-84", In: "chunks.txtar", Prepare: do(add(".auto-claude/specs/004-other/"+planFile, `{"phases":[{"chunks":[{"id":"chunk-1-1","status":"completed"},{"id":"chunk-1-2","status":"pending"}]}]}`), staging(shared5, "auto-claude/004-other"), commit(shared5, "auto-claude: chunk-1-1 - x")),
			Want:   `["…",{"id":"005-user-auth","doubts":["…",{"code":"worktree-unusable","severity":"blocking","text":".worktrees/auto-claude belongs to 'auto-claude/004-other', not to this spec; Auto-Claude's run.py would build this spec in that worktree, so merge or discard 004-other first"}],"alternatives":["…",{"name":"merge-other","text":"merge what 004-other built into main; after that, remove its worktree with git worktree remove .worktrees/auto-claude"}]}]`,
			Mutate: gitRun("merge", "-q", "auto-claude/004-other"),
			Then:   `["…",{"id":"005-user-auth","doubts":["…",{"text":".worktrees/auto-claude belongs to 'auto-claude/004-other', not to this spec; Auto-Claude's run.py would build this spec in that worktree, so first remove the worktree with git worktree remove .worktrees/auto-claude (all commits of 004-other are in main; its branch and its plan stay), or discard 004-other"}],"alternatives":[{"name":"review-other"},{"name":"discard-other"},"…"]}]`},
		// a branch can be discarded without its worktree
		{IDs: "S3-18", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - x"), remove(shared5)),
			Want:   `[{"alternatives":["…",{"name":"discard","text":"discard its branch (Auto-Claude's \"start fresh\"), and stop showing the spec; this can be undone"}]}]`,
			Mutate: both(gitRun("worktree", "prune"), gitRun("branch", "-D", branch5)), Then: `[{"alternatives":[{"name":"continue"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"build-again"},{"name":"plan-again"},{"name":"hide"}]}]`},
		// what was discarded is built again by the same plan
		{IDs: "S3-18", In: "chunks.txtar", Want: `[{"point":{"task":"chunk-2-1"},"alternatives":["…",{"name":"build-again","text":"set chunk-1-1, chunk-1-2 back to pending, because no branch here has their results; choose this only if they are not merged"},"…"]}]`,
			Mutate: done(&sources.ActionRequest{Name: sources.BuildAgain}),
			Then:   `[{"state":"not started","point":{"task":"chunk-1-1"},"doubts":null,"protocol":{"recoveryNote":"git resume set chunk-1-1, chunk-1-2 back to pending, because no branch has the results at 2026-11-14T12:00:00.000Z"}}]`},
		{IDs: "S3-85", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - x"), remove(shared5)),
			Want: `[{"branch":"refs/heads/auto-claude/005-user-auth","last":"*","wants":"*","doubts":["…",{"code":"worktree-missing"}]}]`, Mutate: gitRun("worktree", "prune")},
		{IDs: "S3-86", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), none), Want: `[{"alternatives":[{"name":"continue","text":"continue with chunk-2-1 in a worktree for its branch at .worktrees/auto-claude"},"…"]}]`,
			Mutate: gitRun("branch", "-D", branch5)},
		{IDs: "S3-86", Prepare: do(staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - x"), none), Want: `[{"id":"005-user-auth","state":"unknown","rebuilt":true,"point":{"task":"review"},"tasks":[{"id":"chunk-1-1","state":"done"}]}]`,
			Mutate: gitRun("merge", "-q", branch5), Then: `[]`},
		{IDs: "S3-87", In: "chunks.txtar", Prepare: gitRun("branch", "auto-claude"), Want: `[{"doubts":["…",{"code":"branch-name-blocked"}]}]`, Mutate: gitRun("branch", "-D", "auto-claude")},
		{IDs: "S3-88", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), func(r *gittest.Repo) { r.In(filepath.Join(r.Dir, shared5)).Git("checkout", "-q", "--detach") }),
			Want:   `[{"protocol":{"staging_exists":false},"doubts":["…",{"code":"worktree-unusable","severity":"blocking","text":".worktrees/auto-claude is a worktree with a detached HEAD at the last commit of 'auto-claude/005-user-auth'; check out the branch there first: git -C .worktrees/auto-claude checkout auto-claude/005-user-auth"}]}]`,
			Mutate: func(r *gittest.Repo) { r.In(filepath.Join(r.Dir, shared5)).Git("checkout", "-q", branch5) }, Then: `[{"protocol":{"staging_exists":true}}]`},
		{IDs: "S3-88", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), midRebase), Want: `[{"protocol":{"staging_exists":true},"doubts":["…",{"code":"worktree-unusable","text":"a rebase is in progress in auto-claude"}]}]`,
			Mutate: func(r *gittest.Repo) { r.In(filepath.Join(r.Dir, shared5)).Git("rebase", "--abort") }},
		{IDs: "S3-89", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), gitRun("worktree", "lock", "--reason", "on a stick", shared5)),
			Want: `[{"protocol":{"staging_exists":true},"doubts":["…",{"code":"worktree-locked","text":"the worktree is locked: on a stick"}]}]`, Mutate: gitRun("worktree", "unlock", shared5)},
	}
}

// midRebase leaves the spec's worktree in the middle of a rebase.
func midRebase(r *gittest.Repo) {
	tree := r.In(filepath.Join(r.Dir, shared5))
	tree.Write("clash", "theirs")
	tree.Git("add", "clash")
	tree.Git("commit", "-q", "-m", "theirs")
	r.Write("clash", "ours")
	r.Git("add", "clash")
	r.Git("commit", "-q", "-m", "ours")
	tree.Try("git", "rebase", "main")
}

func corruptCases() []sourcetest.Case {
	inTree := shared5 + "/" + planAt
	return []sourcetest.Case{
		{IDs: "S3-90", In: "chunks.txtar", Prepare: do(staging(shared5, branch5), copied(at, shared5), add(planAt, "")),
			Want: `[{"state":"interrupted","point":{"task":"chunk-2-1"},"doubts":["…",{"code":"state-damaged"},{"code":"state-from-elsewhere"}],"alternatives":["…",{"name":"repair"}]}]`, Mutate: add(inTree, ""), Then: `[{"state":"corrupt"}]`},
		{IDs: "S3-90", In: "chunks.txtar", Prepare: do(gitRun("add", "-f", ".auto-claude"), gitRun("commit", "-q", "-m", "state"), add(planAt, "")),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"chunk-2-1"},"doubts":["…",{"code":"state-from-elsewhere"}]}]`, Mutate: gitRun("checkout", "-q", "HEAD", "--", planAt), Then: `[{"rebuilt":null}]`},
		{IDs: "S3-91", In: "chunks.txtar memory.txtar", Prepare: func(r *gittest.Repo) { r.Write(planAt, r.Read(planAt)+"  ]\n}\n") },
			Want:   `[{"state":"corrupt","rebuilt":true,"tasks":[{"id":"chunk-1-1","state":"done","evidence":"attempts"},{"id":"chunk-2-1","state":"unknown"}],"doubts":["…",{"code":"state-damaged","path":"` + planAt + `"},{"code":"state-rebuilt"}]}]`,
			Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/chunks.txtar") }, Then: `[{"state":"interrupted","rebuilt":null}]`},
		{IDs: "S3-91", In: "chunks.txtar", Prepare: replace(planAt, `  "created_at"`, "<<<<<<< HEAD\n  \"updated_at\": \"x\",\n=======\n>>>>>>> other\n  \"created_at\""), Want: `[{"state":"corrupt","point":{"task":"planning"}}]`,
			Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/chunks.txtar") }, Then: `[{"state":"interrupted"}]`},
		{IDs: "S3-93", In: "chunks.txtar", Prepare: add(planAt, `["not", "an object"]`), Want: `[{"state":"corrupt","doubts":["…",{"code":"state-damaged","text":"` + planAt + ` is not a JSON object"}]}]`,
			Mutate: add(planAt, `{"phases": null}`), Then: `[{"state":"interrupted","headline":"the planning was interrupted","point":{"task":"planning"}}]`},
		// a plan without phases and without a status says no more than no plan: the steps of the planning show how far it got
		{IDs: "S3-72", In: "unplanned.txtar", Prepare: add(planAt, `{"feature":"x","phases":[]}`), Want: `[{"state":"interrupted","tasks":[{"id":"discovery"},{"id":"requirements","state":"done"},"…"]}]`,
			Mutate: both(remove(at+"context.json"), remove(at+"complexity_assessment.json")), Then: `[{"state":"not started"}]`},
		{IDs: "S3-94", In: "chunks.txtar memory.txtar", Want: `[{"from":"attempt","doubts":["…",{"code":"time-without-zone"}]}]`, Mutate: top(planAt, "updated_at", "2025-12-15T11:00:00Z"), Then: `[{"from":"plan","active":"2025-12-15T11:00:00Z"}]`},
	}
}
