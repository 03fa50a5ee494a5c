# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for bash: commands, the options that --help names, causes, capture files.
_slowcopy()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} program=${COMP_WORDS[0]}
	local commands
	commands=$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
	if [[ $command == explain ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" explain 2>/dev/null | cut -d' ' -f1)" -- "$word")
	elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --assume ]]; then
		compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W "rtt= rate= window= request= depth=" -- "$word")
	elif [[ $word == -* ]]; then
		[[ " $commands " == *"$command"* && $command != -* ]] || command=analyze
		mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help 2>/dev/null |
			grep -o -E -e '--[a-z-]+')" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		[[ $COMP_CWORD -gt 1 ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$word")
	fi
}
complete -o filenames -F _slowcopy slowcopy
