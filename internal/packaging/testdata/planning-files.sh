# A plan of gift cards in four phases. The second is in progress with an open step, and the third was started as well.
at 2026-11-12T15:00:00Z
cat > task_plan.md <<'S'
# Task Plan: Gift cards

## Goal
Customers buy a card, and whoever has its code pays with it.

## Next Step
Ask the bank for a test account.

## Current Phase
Phase 3

## Phases

### Phase 1: Store cards
- [x] table
- [x] tests
- **Status:** complete

### Phase 2: Sell cards
- [x] page with the amounts
- [ ] mail with the code
- **Status:** in_progress

### Phase 3: Pay with a card
- [x] form at the checkout
- [ ] payment
- [ ] receipt
- **Status:** in_progress

### Phase 4: Delivery
- [ ] notes for the shops
- **Status:** pending
S
cat > progress.md <<'S'
# Progress Log

## Session: 2026-11-12
- the form is there; the bank does not answer
S
git add -A
git commit -q -m 'plan gift cards'
