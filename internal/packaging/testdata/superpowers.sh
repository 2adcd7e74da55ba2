# A plan of gift cards in four tasks. Two were committed when the session ended, and no box was ticked.
at 2026-11-12T15:00:00Z
dir=docs/superpowers/plans
mkdir -p $dir src
cat > $dir/2026-11-12-gift-cards.md <<'S'
# Gift cards Implementation Plan

> **For agentic workers:** REQUIRED SUB-SKILL: Use superpowers:subagent-driven-development to implement this plan task-by-task.

**Goal:** Customers buy a card, and whoever has its code pays with it.

### Task 1: Store cards

**Files:**
- Create: `src/cards.py`

- [ ] **Step 1: Build it**
- [ ] **Step 2: Commit**

```bash
git commit -m "feat: store gift cards"
```

### Task 2: Sell cards

**Files:**
- Create: `src/sell.py`

- [ ] **Step 1: Build it**
- [ ] **Step 2: Commit**

```bash
git commit -m "feat: sell gift cards"
```

### Task 3: Pay with a card

**Files:**
- Create: `src/pay.py`

- [ ] **Step 1: Build it**
- [ ] **Step 2: Commit**

```bash
git commit -m "feat: pay with a gift card"
```

### Task 4: Verify

- [ ] **Step 1: Run all tests**
S
git add -A
git commit -q -m 'docs: plan gift cards'
at 2026-11-12T16:00:00Z
echo 'cards = {}' > src/cards.py
git add -A
git commit -q -m 'feat: store gift cards'
at 2026-11-12T17:00:00Z
echo 'mail(code)' > src/sell.py
git add -A
git commit -q -m 'feat: sell gift cards'
