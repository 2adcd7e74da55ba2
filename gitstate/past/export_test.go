package past

// These are for tests that compare our own merge of trees with git's.
var (
	MergeDisjoint   = mergeDisjoint
	MergeTreesByGit = mergeTreesByGit
)
