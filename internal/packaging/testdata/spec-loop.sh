# A specification of gift cards in the third round of questions: one gap is resolved, two wait for an answer.
at 2026-11-13T07:15:00Z
dir=specs/012-gift-cards
mkdir -p $dir/.workflow
printf '# Gift cards\n\nCustomers buy a card, and whoever has its code pays with it.\n' > $dir/spec.md
cat > $dir/.workflow/index.md <<'S'
# 012-gift-cards

## Priority Loop State

| Field | Value |
|-------|-------|
| **Loop Status** | clarifying |
| **Current Iteration** | 3 / 10 |
| **Last Activity** | 2026-11-13T07:15:00Z |
| **Stale Count** | 0 / 3 |

## Pending Questions

| ID | Question Summary | Gaps | Status |
|----|------------------|------|--------|
| C3.1 | How long is a card valid? | G-007 | awaiting_answer |
| C3.2 | Can a card be used in parts? | G-009 | awaiting_answer |

## Gap Priority Queue

| Priority | Gap ID | Status | Resolution |
|----------|--------|--------|------------|
| Critical | G-002 | resolved | Applied in iteration 2 |
| Critical | G-007 | clarifying | Pending C3.1 |
| Important | G-009 | clarifying | Pending C3.2 |

## Gap Resolution History

| Gap ID | Iteration | Action | Details |
|--------|-----------|--------|---------|
| G-002 | 2 | resolved | Answer: "cards are sent by mail" |
S
git add -A
git commit -q -m 'specify gift cards'
