// The two tools of the small agent that folds a chunk into the summary, as the model sees them.

export const SUMMARY_PATH = '/summary.md'

const EDL_GUIDE = `Edits ${SUMMARY_PATH} with a script: select something, then change it.

A script begins with the file; then all of it is selected:
file ${SUMMARY_PATH}

Selecting (exactly one match, or the script fails):
select <<TEXT
whole lines, exactly as they stand there
TEXT
select /regular expression/
select bof-eof        (everything)
extend_forward eof    (from the selection to the end)

Changing what is selected:
insert_after <<TEXT
new lines
TEXT
insert_before <<TEXT
new lines
TEXT
replace <<TEXT
other lines
TEXT
delete

The word behind << may be any; the text ends at the line that is only this word, so choose one that is no line of the text. "quoted text" in place of << is for a piece of a line.

To write at the end of the file:
file ${SUMMARY_PATH}
insert_after <<TEXT
## Progress
- what was done
TEXT

A script that fails changes nothing; its result says why, and texts that were not written are kept in registers (insert_after _saved_1).`

/** JSON Schemas, as every provider takes them. */
export const FOLD_TOOLS = [
  {
    name: 'get_file',
    description: `Reads ${SUMMARY_PATH}, the running summary. There is no other file.`,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: `Always ${SUMMARY_PATH}` } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'edl',
    description: EDL_GUIDE,
    inputSchema: {
      type: 'object',
      properties: { script: { type: 'string', description: 'The script' } },
      required: ['script'],
      additionalProperties: false,
    },
  },
] as const
