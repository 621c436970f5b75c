/**
 * Words that the names of fields and the types of records consist of, in the formats of agents. A sample shows only
 * names of such words: other names may be those of files or people.
 */
const KNOWN_WORDS: ReadonlySet<string> = new Set(
  `
    aborted access action active actor add added additional additions after agent agents aggregated answer
    answers api append applied apply approval approved archived args arguments ask asked assignee assignment
    assistant async at attachment attachments attribution auth author available background bash before begin
    bind binding block blocked blocker blocks branch busy by cache cached call calls can canceled cancelled
    candidates capabilities card cards cause cell cents change changed changes chat checklist choice chunk
    claim clear cli client close closed cmd code collab collaboration command commands commit compact
    compacted compaction complete completed completion compressed configured confirmed connected content
    context continue control conversation cost count create created creation credit credits current cursor
    custom cwd data decision default deleted deletions delivery delta denied dependencies dependency depends
    deps depth description details diff dir directories directory disabled display dispose doing done duration
    edit editor effort element elements encrypted end ended enter entries entry ephemeral epic error errored
    errors event events exclude exec execute execution exit expected explanation failed failure fallback fatal
    fetch fields file files filter final finish finished first fork forked form format found from full
    function git goal grep has hash header hidden hint history home hook human id identifier idle ids image
    images in includes index indices info init initial input inserted intention interaction interactive
    internal interrupted invalid invocation is item items iteration iterations job json jsonrpc key kind
    kwargs label language last length level limit limited limits lines list llm load loaded locations loop
    main manually markdown mcp merge message messages meta metadata method mode model models modes modified ms
    msg multi multiple name names namespace new next nickname no node nodes not notes notice notices
    notification num object observation old on op open operation ops option options order ordinal orig origin
    other out outcome output overview owner parameters params parent parsed part partial parts patch path
    paths patterns paused payload pending percent permission phase phases pid plan plugin policy position
    possible post pre premium preview previous primary priority process profile progress project prompt
    properties protocol provider query question questions queue rate raw reached read reason reasoning
    receiver recent record recorded ref refused registered rejected reminder remote remove removed replace
    replied reply request requested requests required resolved response result results resume retained retry
    review revision role root roots rounds run running runtime sandbox schema scope search secondary seconds
    select selected selection sender seq sequence server servers session set settings severity shell shutdown
    signal signature size skills snapshot sort source spawn spawned spec sql stack start started state states
    stats status stderr stdout step steps stop storage store stream string structured style sub subagent
    subject subtype success summary surface system tag target targets task tasks team teammate terminal
    terminate text think thinking thought thoughts thread tier time timed timeout timestamp title to todo
    todos toggle token tokens tool tools total tracked tracker tracking transcript trigger triggered truncated
    ts turn turns type ui unit unknown update updated uri url usage usd use used user username uses uuid value
    values version view visibility wait warning warnings web will window windows with workspace world write
    zip
  `
    .trim()
    .split(/\s+/),
);

const NAME = /^[A-Za-z_$][A-Za-z0-9_$./:-]{0,47}$/;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Whether a name consists of known words, such as `toolCallStates`. */
export function isKnownName(name: string): boolean {
  const words = name.match(WORD);
  if (!NAME.test(name) || !words || /\d{3}/.test(name)) return false;
  return words.every((word) => word.length === 1 || KNOWN_WORDS.has(word.toLowerCase()));
}
