package plan

import (
	"strings"
	"testing"
)

// The task lists in these tests have the same format as those of popular tools.

func TestParse_readsPhasedListsWithStoryLabels(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "specs/003-shared-lists/tasks.md", `# Tasks: Shared lists

**Input**: the documents in this folder

## Format: `+"`[ID] [P?] [Story] Description`"+`

- **[P]**: can be done beside others
- **[Story]**: the story it belongs to

## Phase 1: Setup (shared)

**Purpose**: a place to work in

- [X] T001 Create the folders named in plan.md
- [x] T002 [P] Configure the linter

---

## Phase 2: User Story 1 - Invite a friend (Priority: P1) 🎯 MVP

### Tests for User Story 1 (OPTIONAL - only if asked for) ⚠️

- [ ] T003 [P] [US1] Contract test for POST /invites in tests/contract/test_invites.py

### Implementation for User Story 1

- [ ] T004 [US1] Implement InviteService in src/services/invites.py (depends on T003)

**Checkpoint**: the story works alone

## Parallel example

`+"```bash"+`
Task: "Contract test for POST /invites"
- [ ] T999 not a task
`+"```"+`

## Notes

- [P] tasks touch different files
- Commit after each task
`)
	if p.Name != "003-shared-lists" {
		t.Errorf("name is %q", p.Name)
	}
	want := `T001 done | Create the folders named in plan.md | Phase 1: Setup (shared)
T002 done | Configure the linter | Phase 1: Setup (shared)
T003 | Contract test for POST /invites in tests/contract/test_invites.py | Phase 2: User Story 1 - Invite a friend (Priority: P1) 🎯 MVP
T004 | Implement InviteService in src/services/invites.py (depends on T003) | Phase 2: User Story 1 - Invite a friend (Priority: P1) 🎯 MVP
`
	if got := brief(p.Tasks); got != want {
		t.Errorf("\n got:\n%swant:\n%s", got, want)
	}
}

func TestParse_readsNestedImplementationPlans(t *testing.T) {
	t.Parallel()
	p := mustParse(t, ".kiro/specs/offline-mode/tasks.md", `# Implementation Plan

- [x] 1. Lay the foundations
  - Create the store and its interfaces
  - _Requirements: 1.1, 1.2_

- [-] 2. Keep changes while offline
- [x] 2.1 Write the queue
  - Append only
  - _Requirements: 2.1_

- [ ] 3. Bring changes back
  - [ ] 3.1 Replay the queue
    - In order, once
    - _Requirements: 3.1_
  - [ ]* 3.2 Write property tests for the replay
    - **Property 4: replay is idempotent**
    - _Requirements: 3.1_

- [ ] 4. Checkpoint
  - Ensure all tests pass
`)
	want := `1 done | Lay the foundations
2 | Keep changes while offline
2.1 done | Write the queue
3.1 | Replay the queue | Bring changes back
3.2 optional | Write property tests for the replay | Bring changes back
4 | Checkpoint
`
	if got := brief(p.Tasks); got != want {
		t.Errorf("\n got:\n%swant:\n%s", got, want)
	}
}

func TestParse_readsNumberedChangeLists(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "openspec/changes/add-two-factor/tasks.md", `## 1. Database
- [x] 1.1 Add the secret column
- [x] 1.2 Add the index

## 2. Backend
- [ ] 2.1 Check the code at login
- [ ] 2.2 ~~Send codes by text message~~
`)
	want := `1.1 done | Add the secret column | 1. Database
1.2 done | Add the index | 1. Database
2.1 | Check the code at login | 2. Backend
2.2 optional | Send codes by text message | 2. Backend
`
	if got := brief(p.Tasks); got != want || p.Name != "add-two-factor" {
		t.Errorf("%s\n got:\n%swant:\n%s", p.Name, got, want)
	}
}

func TestParse_keepsIDsWhenTasksAreAddedOrTicked(t *testing.T) {
	t.Parallel()
	const before = "## A\n- [ ] write the page\n- [ ] 翻訳する\n- [ ] T7 last\n"
	const after = "# Title\n- [ ] something new\n## B\n- [x] write the page\n\n* [x] 翻訳する\n- [ ] more\n- [x] T7 last, really\n"
	have := map[string]bool{}
	for _, task := range mustParse(t, "s/tasks.md", after).Tasks {
		have[task.ID] = true
	}
	for _, task := range mustParse(t, "s/tasks.md", before).Tasks {
		if !have[task.ID] {
			t.Errorf("%s is lost", task.ID)
		}
	}
}

func TestParse_readsTheLargestList(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "s/tasks.md", strings.Repeat("- [ ] the same again\n", maxTasks))
	if n := len(p.Tasks); n != maxTasks || p.Tasks[n-1].ID != "the-same-again-10000" {
		t.Errorf("%d tasks, the last is %+v", n, p.Tasks[n-1])
	}
}
