# A sprint with one story in progress. The agent updated the file of that story, but not the table.
at 2026-11-12T10:00:00Z
out=_bmad-output/implementation-artifacts
mkdir -p $out src
cat > $out/sprint-status.yaml <<'T'
# generated: 2026-11-10
project: shop
tracking_system: file-system
story_location: {project-root}/_bmad-output/implementation-artifacts

development_status:
  epic-1: in-progress
  1-1-store-cards: done
  1-2-sell-cards: ready-for-dev
  1-3-redeem-cards: backlog
  epic-1-retrospective: optional
T
cat > $out/1-1-store-cards.md <<'T'
# Story 1.1: Store gift cards

Status: done

## Tasks / Subtasks

- [x] Task 1: one row for each card
T
cat > $out/1-2-sell-cards.md <<'T'
# Story 1.2: Sell gift cards

Status: ready-for-dev

## Tasks / Subtasks

- [ ] Task 1: page with the amounts (AC: 1)
- [ ] Task 2: payment (AC: 2)
- [ ] Task 3: mail with the code (AC: 3)

## Dev Notes

The mail must not contain the amount.
T
echo 'cards = []' > src/cards.py
git add -A
git commit -q -m 'story 1.1: store gift cards'
at 2026-11-12T16:00:00Z
sed -i.old -e 's/Status: .*/Status: in-progress/' -e 's/\[ \] Task 1/[x] Task 1/' $out/1-2-sell-cards.md
rm $out/*.old
echo 'page' > src/page.py
git add -A
git commit -q -m 'feat(1-2): page with the amounts'
