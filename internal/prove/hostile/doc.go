// Package hostile makes repositories that try to do harm, and checks what the program does in them.
//
// Anybody may have written what is stored in a repository. But no command in it runs unless the user of this machine
// approved it, none of its texts controls the terminal, and nothing outside the repository is changed.
// Commands that read change no byte, and time and memory stay within limits.
// The package holds only tests and exports nothing.
package hostile
