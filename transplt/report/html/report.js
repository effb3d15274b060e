// SPDX-License-Identifier: Apache-2.0
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
document.getElementById('data').remove();  // the text is as large as what it has become

const SAY = {
  en: {
    skip: 'To the changes', help: 'Keys (?)', verdict: 'Verdict', programs: 'Programs',
    causes: 'For you, in this order', next: 'Next', changes: 'Changes', number: 'No.',
    severity: 'Severity', places: 'Places', what: 'Why, and what to do', search: 'Search',
    cause: 'Cause', file: 'File', applicability: 'Kind', decision: 'Decision', all: 'Show all',
    acceptShown: 'Accept all shown', rejectShown: 'Reject all shown', keys: 'Keys', close: 'Close',
    any: 'any', safe: 'edit, sure', unsafe: 'edit, to look at', 'display-only': 'not edited',
    accept: 'Accept', reject: 'Reject', accepted: 'accepted', rejected: 'rejected',
    undecided: 'undecided', fixed: 'nothing to decide', machine: 'on the machine',
    trains: 'trains', reached: 'reached by',
    rule: 'rule', note: 'Note', line: 'line', wholeFile: 'whole file', follows: 'follows from other edits',
    together: n => `with ${n} other edit${n === 1 ? '' : 's'} of one value`,
    export: n => `Export decisions (${n})`, shown: (n, m) => `${n} of ${m} changes shown`,
    decided: (word, n) => `${word}: ${n} edit${n === 1 ? '' : 's'}`,
    saved: (name, result) => `${name} was saved. Now: transplt review ${result} --decisions ${name}`,
    nothing: 'Nothing is decided yet.', cannot: 'Nothing was edited here, so there is nothing to decide.',
    none: 'No change fits these filters.', other: '中文',
    headStops: n => `Stops: ${n}.`, headStarts: 'Nothing was found that stops the program.',
    headRest: (wrong, others) => ` May go wrong: ${wrong}. Other causes: ${others}.`,
    headGood: 'Nothing is left for a person',
    about: 'Edits of one value are accepted or rejected together. Edits without a decision stay as they are.',
    keyList: [['j, k', 'next, previous change'], ['a', 'accept'], ['r', 'reject'], ['u', 'take the decision back'],
      ['/', 'search'], ['?', 'this list']],
  },
  zh: {
    skip: '跳到修改', help: '快捷键 (?)', verdict: '结论', programs: '程序',
    causes: '请按此顺序处理', next: '下一步', changes: '修改', number: '序号',
    severity: '严重程度', places: '位置数', what: '原因与处理方法', search: '搜索',
    cause: '原因', file: '文件', applicability: '类别', decision: '决定', all: '显示全部',
    acceptShown: '接受所显示的全部', rejectShown: '拒绝所显示的全部', keys: '快捷键', close: '关闭',
    any: '不限', safe: '修改, 可信', unsafe: '修改, 需复核', 'display-only': '未修改',
    accept: '接受', reject: '拒绝', accepted: '已接受', rejected: '已拒绝',
    undecided: '未决定', fixed: '无需决定', machine: '在机器上',
    trains: '训练', reached: '到达此处的程序',
    rule: '规则', note: '注意', line: '行', wholeFile: '整个文件', follows: '随其他修改而定',
    together: n => `与同一值的其他 ${n} 处修改一体`,
    export: n => `导出决定 (${n})`, shown: (n, m) => `显示 ${m} 处中的 ${n} 处`,
    decided: (word, n) => `${word}: ${n} 处修改`,
    saved: (name, result) => `已保存 ${name}。接下来: transplt review ${result} --decisions ${name}`,
    nothing: '尚未作出决定。', cannot: '此处没有修改, 无需决定。',
    none: '没有符合这些条件的修改。', other: 'English',
    headStops: n => `会中断: ${n} 项。`, headStarts: '未发现会使程序中断的内容。',
    headRest: (wrong, others) => `可能出错: ${wrong} 项; 其他原因: ${others} 项。`,
    headGood: '没有需要人工处理的内容',
    about: '同一值的各处修改一并接受或拒绝。没有决定的修改保持不变。',
    keyList: [['j, k', '下一处, 上一处'], ['a', '接受'], ['r', '拒绝'], ['u', '撤回决定'],
      ['/', '搜索'], ['?', '本列表']],
  },
};
const FILE_NAME = 'transplt-decisions.csv';
const ROWS_IN_BLOCK = 40;
let language = data.language;
const say = key => SAY[language][key];
const $ = id => document.getElementById(id);

/** An element with properties and children; strings become text, never HTML. */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key in element && key !== 'role') element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** Source text with characters that would move or turn what follows them spelled out. */
function visible(text) {
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(hidden)) {
    const code = found[0].codePointAt(0);
    const at_end = code === 13 && found.index === text.length - 1;
    pieces.push(text.slice(from, found.index));
    if (!at_end) {
      pieces.push(make('span', {className: 'ctl'}, `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`));
    }
    from = found.index + 1;
  }
  pieces.push(text.slice(from));
  return pieces;
}

// ---- What the data says ----

const records = data.records;
const causes = new Map(data.causes.map(cause => [cause.id, cause]));
const severities = new Map(data.severities.map((severity, rank) => [severity.name, {...severity, rank}]));
const groups = new Map();
let number = 0;
for (const cause of data.causes) if (cause.is_decision) cause.number = ++number;
records.forEach((record, index) => {
  record.index = index;
  record.cause ??= record.rule;
  record.end ??= record.line;
  record.decision ??= '';
  record.stated = record.decision;  // what the result has already
  if (!record.group) return;
  if (!groups.has(record.group)) groups.set(record.group, []);
  groups.get(record.group).push(record);
});

/** The name in "+++ b/name", which git quotes in the way of C where it has to. */
function nameIn(header) {
  const word = header.slice(4).replace(/\t$/, '');
  if (!word.startsWith('"')) return word.slice(2);
  const letters = {a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92};
  const bytes = [];
  for (let i = 3; i < word.length - 1; ++i) {
    if (word[i] !== '\\') {
      bytes.push(...new TextEncoder().encode(word[i]));
    } else if (/[0-7]/.test(word[i + 1])) {
      bytes.push(parseInt(word.slice(i + 1, i + 4), 8));
      i += 3;
    } else {
      bytes.push(letters[word[++i]]);
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Adds the lines that were removed and added together to `rows`, side by side. */
function pairUp(rows, removed, added) {
  for (let i = 0; i < Math.max(removed.length, added.length); ++i) {
    rows.push({old: removed[i] ?? null, now: added[i] ?? null, changed: true});
  }
  removed.length = added.length = 0;
}

/** The hunks of a diff: rows {old, now} of [number, text] or null. */
function hunksOf(lines) {
  const hunks = [];
  let rows = null, old = 0, now = 0;
  const removed = [], added = [];
  const finish = () => { if (rows) pairUp(rows, removed, added); };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('@@')) {
      finish();
      const starts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      // A side without lines names the line before it.
      old = Number(starts[1]) + (starts[2] === '0' ? 1 : 0);
      now = Number(starts[3]) + (starts[4] === '0' ? 1 : 0);
      hunks.push(rows = []);
    } else if (!rows) {
      continue;
    } else if (line[0] === '-') {
      if (added.length) pairUp(rows, removed, added);
      removed.push([old++, text]);
    } else if (line[0] === '+') {
      added.push([now++, text]);
    } else if (line[0] === ' ') {
      finish();
      rows.push({old: [old++, text], now: [now++, text], changed: false});
    }
  }
  finish();
  return hunks;
}

/** Pieces of hunks, small enough to be drawn at once: {rows, first, last, records}. */
function blocksOf(diff) {
  const blocks = [];
  let last = 0;
  for (const rows of hunksOf(diff.split('\n'))) {
    for (let from = 0; from < rows.length; from += ROWS_IN_BLOCK) {
      const part = rows.slice(from, from + ROWS_IN_BLOCK);
      const numbers = part.filter(row => row.old).map(row => row.old[0]);
      const first = numbers.length ? numbers[0] : last;
      last = numbers.length ? numbers[numbers.length - 1] : last;
      blocks.push({rows: part, first, last, records: []});
    }
  }
  return blocks;
}

/** The files with something to show: {name, blocks}. */
function filesOf() {
  const files = new Map();
  const fileOf = name => {
    if (!files.has(name)) files.set(name, {name, blocks: []});
    return files.get(name);
  };
  for (const diff of data.diffs) {
    const header = diff.slice(0, diff.indexOf('\n@@')).split('\n').find(line => line.startsWith('+++ '));
    fileOf(nameIn(header)).blocks = blocksOf(diff);
  }
  data.diffs = null;
  for (const record of records) {
    const file = fileOf(record.file);
    record.block = placeOf(record, file);
    record.block.records.push(record);
  }
  for (const file of files.values()) {
    file.blocks.push(...(file.alone ?? []));
    file.blocks.sort((a, b) => a.first - b.first);
    for (const block of file.blocks) block.file = file;
  }
  return [...files.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The block that shows the line of `record`; where the diff does not, one of its own. */
function placeOf(record, file) {
  const line = record.line ?? 0;
  let low = 0, high = file.blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (file.blocks[middle].last < line) low = middle + 1; else high = middle;
  }
  const found = file.blocks[low];
  if (line && found && found.first <= Math.max(line, record.end ?? 0)) return found;
  file.alone ??= [];
  const before = file.alone[file.alone.length - 1];
  if (before && before.first === line) return before;
  const text = record.source ?? '';
  const rows = line && text ? [{old: [line, text], now: ['', text], changed: false}] : [];
  const block = {rows, first: line, last: line, records: []};
  file.alone.push(block);
  return block;
}

const files = filesOf();
/** The records in the order in which they stand on the page. */
const inOrder = [];
for (const file of files) {
  for (const block of file.blocks) {
    block.records.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    inOrder.push(...block.records);
  }
}
inOrder.forEach((record, order) => { record.order = order; });

// ---- The verdict ----

function titleOf(cause) {
  return cause.on_machine ? say('machine') : severities.get(cause.severity).title[language];
}

/** A button that shows the places of a cause. */
function causeLink(id, number = '') {
  const link = make('button', {type: 'button', className: 'link'}, number ? `${say('number')} ${number} ${id}` : id);
  link.addEventListener('click', () => {
    $('filters').reset();
    $('by-cause').value = id;
    applyFilters();
    $('changes').scrollIntoView();
    $('by-cause').focus({preventScroll: true});
  });
  return link;
}

function showVerdict() {
  const facts = data.facts[language];
  const those = fits => data.causes.filter(cause => fits(severities.get(cause.severity).rank)).length;
  const stops = those(rank => rank <= 1), wrong = those(rank => rank === 2);
  $('title').textContent = `transplt: ${data.input}`;
  document.title = `transplt: ${data.input}`;
  $('headline').className = stops ? 'bad' : wrong ? 'warn' : 'good';
  $('headline').textContent = data.causes.length === 0 ? say('headGood') :
      (stops ? say('headStops')(stops) : say('headStarts')) +
      say('headRest')(wrong, data.causes.length - stops - wrong);
  const lines = [facts.assumed, facts.written, facts.edits, facts.not_read, ...facts.notes.map(note => `${say('note')}: ${note}`)];
  $('facts').replaceChildren(...lines.filter(Boolean).map(line => make('li', {}, line)));
  $('programs').replaceChildren(...data.programs.map(program => {
    const item = make('li', {}, make('code', {}, program.path), program.trains ? ` (${say('trains')}): ` : ': ');
    for (const part of program.says[language].split(/(\{[^{}]*\})/)) {
      const ids = part.slice(1, -1).split(' ');
      if (part.startsWith('{') && ids.every(id => causes.has(id))) {
        ids.forEach((id, i) => item.append(i ? ', ' : '', causeLink(id, causes.get(id).number)));
      } else {
        item.append(make('span', {className: `verdict ${program.verdict}`}, part));
      }
    }
    return item;
  }));
  $('programs-title').hidden = $('programs').hidden = data.programs.length === 0;
  $('causes').tBodies[0].replaceChildren(...data.causes.map(cause => make('tr', {},
      make('td', {}, String(cause.number ?? '')),
      make('td', {className: cause.severity}, titleOf(cause)),
      make('td', {}, String(cause.places)),
      make('td', {}, causeLink(cause.id), make('div', {}, cause.reason[language]),
          cause.remedy[language] ? make('div', {className: 'remedy'}, cause.remedy[language]) : null))));
  $('causes-title').hidden = $('causes').parentElement.hidden = data.causes.length === 0;
  $('commands').replaceChildren(...facts.commands.map(line => make('li', {}, make('code', {}, line))));
  $('disclaimer').textContent = facts.disclaimer;
}

// ---- Filters ----

function fill(select, values) {
  const chosen = select.value;
  select.replaceChildren(make('option', {value: ''}, say('any')),
      ...values.map(([value, title]) => make('option', {value}, title)));
  select.value = chosen;
}

function showFilters() {
  const used = new Set(records.map(record => record.severity));
  fill($('by-severity'), data.severities.filter(severity => used.has(severity.name))
      .map(severity => [severity.name, severity.title[language]]));
  const ids = [...new Set([...causes.keys(), ...records.map(record => record.cause)])];
  fill($('by-cause'), ids.map(id => [id, id]));
  fill($('by-file'), files.map(file => [file.name, file.name]));
  fill($('by-applicability'), ['safe', 'unsafe', 'display-only'].map(kind => [kind, say(kind)]));
  fill($('by-decision'), [['none', say('undecided')], ['accept', say('accepted')],
    ['reject', say('rejected')], ['fixed', say('fixed')]]);
}

function searchText(record) {
  record.words ??= [record.file, record.rule, record.cause, ...data.texts[record.text], record.before ?? '',
    record.after ?? '', record.source ?? ''].join('\n').toLowerCase();
  return record.words;
}

function decisionState(record) {
  return record.group ? record.decision || 'none' : 'fixed';
}

function filter() {
  const words = $('search').value.toLowerCase().trim();
  const wanted = {severity: $('by-severity').value, cause: $('by-cause').value, file: $('by-file').value,
    applicability: $('by-applicability').value, decision: $('by-decision').value};
  return record =>
    (!wanted.severity || record.severity === wanted.severity) &&
    (!wanted.cause || record.cause === wanted.cause) &&
    (!wanted.file || record.file === wanted.file) &&
    (!wanted.applicability || record.applicability === wanted.applicability) &&
    (!wanted.decision || decisionState(record) === wanted.decision) &&
    (!words || searchText(record).includes(words));
}

let shown = [];

function applyFilters() {
  const fits = filter();
  for (const record of records) record.shown = fits(record);
  shown = inOrder.filter(record => record.shown);
  showCount();
  showList();
}

function showCount() {
  $('count').textContent = say('shown')(shown.length, records.length);
  const some = shown.some(record => record.group);
  $('accept-shown').disabled = $('reject-shown').disabled = !some;
}

// ---- The list: what is near the window is drawn, the rest keeps its place ----

const drawn = new Map();  // element -> block
const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (entry.isIntersecting) draw(drawn.get(entry.target));
    else erase(drawn.get(entry.target));
  }
}, {rootMargin: '1200px 0px'});

function showList() {
  watcher.disconnect();
  drawn.clear();
  const all = document.createDocumentFragment();
  for (const file of files) {
    const blocks = file.blocks.filter(block => block.records.length === 0 ?
        shown.length === records.length : block.records.some(record => record.shown));
    if (blocks.length === 0) continue;
    all.append(make('h3', {className: 'file'}, ...visible(file.name)));
    for (const block of blocks) {
      block.element = make('div', {className: 'block'});
      block.isDrawn = false;
      // The height that it will have, about; the window scrolls without a jump when it is wrong.
      block.height ??= 20 * block.rows.length + 70 * block.records.length;
      block.element.style.height = `${block.height}px`;
      drawn.set(block.element, block);
      all.append(block.element);
    }
  }
  if (shown.length === 0) all.append(make('p', {}, records.length ? say('none') : say('headGood')));
  $('list').replaceChildren(all);
  for (const element of drawn.keys()) watcher.observe(element);
}

function erase(block) {
  if (!block?.isDrawn || block.element.contains(document.activeElement)) return;
  block.height = block.element.offsetHeight || block.height;
  block.element.replaceChildren();
  block.element.style.height = `${block.height}px`;
  block.isDrawn = false;
}

function draw(block) {
  if (!block || block.isDrawn) return;
  block.isDrawn = true;
  const rows = make('div', {className: 'rows'});
  let next = 0;
  const waiting = block.records.filter(record => record.shown);
  const addUpTo = line => {
    while (next < waiting.length && lineBefore(waiting[next]) <= line) rows.append(changeCard(waiting[next++]));
  };
  block.rows.forEach((row, i) => {
    addRow(rows, row);
    // What a line became stands in front of what is said about it.
    const following = block.rows[i + 1];
    if (following?.old) addUpTo(following.old[0] - 1);
  });
  addUpTo(Infinity);
  block.element.style.height = '';
  block.element.replaceChildren(rows);
}

/** The line behind which a record is shown. Lines that come in stand in front of the line that they name. */
function lineBefore(record) {
  const isInsertion = record.operation === 'INSERT' && !record.before && record.column === 1;
  return (record.line ?? 0) - (isInsertion ? 1 : 0);
}

function addRow(rows, row) {
  const {old, now, changed} = row;
  let left = old ? visible(old[1]) : [], right = now ? visible(now[1]) : [];
  if (changed && old && now) [left, right] = marked(old[1], now[1]);
  const side = (line, kind) => (line ? (changed ? kind : '') : 'none');
  rows.append(
      make('div', {className: `no ${side(old, 'old')}`}, String(old?.[0] ?? '')),
      make('div', {className: `code text ${side(old, 'old')}`}, ...left),
      make('div', {className: `no ${side(now, 'new')}`}, String(now?.[0] ?? '')),
      make('div', {className: `code text ${side(now, 'new')}`}, ...right));
}

/** Two lines, with marks around the words that they do not have in common. */
function marked(a, b) {
  const [left, right] = [a, b].map(text => text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []);
  const most = Math.min(left.length, right.length);
  let front = 0, back = 0;
  while (front < most && left[front] === right[front]) ++front;
  while (back < most - front && left[left.length - 1 - back] === right[right.length - 1 - back]) ++back;
  const [kept, keptNow] = inCommon(left.slice(front, left.length - back), right.slice(front, right.length - back));
  return [[left, kept], [right, keptNow]].map(([words, common]) => {
    const pieces = visible(words.slice(0, front).join(''));
    let mark = null;
    words.slice(front, words.length - back).forEach((word, i) => {
      if (common.has(i)) {
        pieces.push(...visible(word));
        mark = null;
      } else {
        if (!mark) pieces.push(mark = make('mark'));
        mark.append(...visible(word));
      }
    });
    return [...pieces, ...visible(words.slice(words.length - back).join(''))];
  });
}

/** The indices in `a` and in `b` of the longest sequence that they have in common; none if they are long. */
function inCommon(a, b) {
  const found = [new Set(), new Set()];
  if (a.length * b.length > 40000) return found;
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 :
          Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      found[0].add(i++);
      found[1].add(j++);
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

function kindOf(record) {
  if (record.applicability !== 'display-only') return [record.applicability, say(record.applicability)];
  return [record.severity, severities.get(record.severity).title[language]];
}

function changeCard(record) {
  const [kind, title] = kindOf(record);
  const column = record.column && !record.file.endsWith('.ipynb') ? `:${record.column}` : '';
  const where = record.line ? `${say('line')} ${record.line}${column}` : say('wholeFile');
  const card = make('article', {className: `change ${record.decision}`, tabIndex: -1, id: `change-${record.index}`,
    'aria-label': `${record.file} ${where}: ${title}`});
  const meta = [where, `${say('rule')} ${record.rule}`];
  if (record.cause !== record.rule) meta.push(`${say('cause')} ${record.cause}`);
  if (record.programs?.length) {
    const paths = record.programs.map(index => data.programs[index]?.path ?? '');
    meta.push(`${say('reached')} ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` (+${paths.length - 3})` : ''}`);
  }
  const others = record.group ? groups.get(record.group).length - 1 : 0;
  if (others > 0) meta.push(say('together')(others));
  if (!record.group && record.applicability !== 'display-only') meta.push(say('follows'));
  const top = make('div', {className: 'top'}, make('strong', {className: kind}, title));
  if (record.group) {
    const buttons = make('div', {className: 'buttons'});
    for (const word of ['accept', 'reject']) {
      const button = make('button', {type: 'button', 'aria-pressed': String(record.decision === word)}, say(word));
      button.dataset.word = word;
      button.addEventListener('click', () => {
        setCurrent(record);
        decide([record], record.decision === word ? '' : word);
      });
      buttons.append(button);
    }
    top.append(buttons);
  }
  const reason = data.texts[record.text][language === 'zh' ? 1 : 0];
  card.append(top, make('div', {className: 'reason'}, ...visible(reason)),
      make('div', {className: 'meta'}, meta.join(' · ')));
  const remedy = record.applicability === 'display-only' ? causes.get(record.cause)?.remedy[language] : '';
  if (remedy) card.append(make('div', {className: 'remedy'}, remedy));
  if (record === current) card.classList.add('current');
  card.addEventListener('focusin', () => setCurrent(record));
  return card;
}

// ---- Decisions ----

let current = null;
let unsaved = false;

function cardOf(record) { return record ? $(`change-${record.index}`) : null; }

function setCurrent(record) {
  if (record === current) return;
  cardOf(current)?.classList.remove('current');
  current = record;
  cardOf(current)?.classList.add('current');
}

/** Decides about the records and all of their groups. */
function decide(chosen, word) {
  const touched = new Set();
  for (const record of chosen) {
    if (record.group) for (const other of groups.get(record.group)) touched.add(other);
  }
  if (touched.size === 0) return tell(say('cannot'));
  for (const record of touched) {
    record.decision = word;
    const card = cardOf(record);
    if (!card) continue;
    card.classList.remove('accept', 'reject');
    if (word) card.classList.add(word);
    for (const button of card.querySelectorAll('[data-word]')) {
      button.setAttribute('aria-pressed', String(button.dataset.word === word));
    }
  }
  unsaved = true;
  showExport();
  const words = {accept: say('accepted'), reject: say('rejected')};
  tell(say('decided')(words[word] ?? say('undecided'), touched.size));
}

function decidedRecords() { return records.filter(record => record.group && record.decision); }

function showExport() { $('export').textContent = say('export')(decidedRecords().length); }

let silence = 0;
function tell(text) {
  $('news').textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { $('news').textContent = ''; }, 8000);
}

/** A field of CSV that no spreadsheet program takes for a formula; review does not look at blanks. */
function field(value) {
  const text = String(value ?? '').replace(/^(?=[\t\r])|(^|[;\n\r])(?=[=+\-%@＝＋－％＠])/g, (_, start) => `${start ?? ''} `);
  return /[",;\t\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

function decisionTable() {
  const rows = decidedRecords().map(record => [record.file, record.line, record.end, record.operation,
    data.texts[record.text][0], record.column, record.rule, record.applicability, record.before, record.after,
    record.cause, record.severity, record.decision]);
  return [data.columns, ...rows].map(row => row.map(field).join(',') + '\r\n').join('');
}

function exportDecisions() {
  if (decidedRecords().length === 0) return tell(say('nothing'));
  // With a byte order mark, or a spreadsheet program takes it for another encoding.
  const url = URL.createObjectURL(new Blob(['\ufeff', decisionTable()], {type: 'text/csv'}));
  make('a', {href: url, download: FILE_NAME}).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  unsaved = false;
  tell(say('saved')(FILE_NAME, data.output || 'OUT/<name>_msft'));
}

// ---- Keys ----

function goTo(record) {
  setCurrent(record);
  draw(record.block);
  const card = cardOf(record);
  card.focus({preventScroll: true});
  card.scrollIntoView({block: 'center'});
}

function step(by) {
  if (shown.length === 0) return;
  let at = shown.indexOf(current);
  if (at < 0) {  // from where the person looks
    const isBehind = current ? record => record.order > current.order :
        record => record.block.element.getBoundingClientRect().bottom > 100;
    const next = shown.findIndex(isBehind);
    at = (next < 0 ? shown.length : next) - (by > 0 ? 1 : 0);
  }
  goTo(shown[Math.min(Math.max(at + by, 0), shown.length - 1)]);
}

const KEYS = {
  j: () => step(1), k: () => step(-1),
  a: () => current && decide([current], 'accept'),
  r: () => current && decide([current], 'reject'),
  u: () => current && decide([current], ''),
  '/': () => { $('search').focus(); $('search').select(); },
  '?': () => $('help').showModal(),
};

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
  if (event.key === 'Escape' && event.target === $('search')) $('search').blur();
  if (event.target.closest('input, select, textarea') || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

// ---- The whole page ----

function showAll() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  for (const element of document.querySelectorAll('[data-say]')) element.textContent = say(element.dataset.say);
  $('language').textContent = say('other');
  $('language').lang = language === 'zh' ? 'en' : 'zh-CN';
  $('keys').replaceChildren(...say('keyList').flatMap(([key, what]) => [make('dt', {}, key), make('dd', {}, what)]));
  showVerdict();
  showFilters();
  showExport();
  applyFilters();
}

$('language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  showAll();
});
$('export').addEventListener('click', exportDecisions);
$('help-button').addEventListener('click', () => $('help').showModal());
$('accept-shown').addEventListener('click', () => decide(shown, 'accept'));
$('reject-shown').addEventListener('click', () => decide(shown, 'reject'));
$('filters').addEventListener('submit', event => event.preventDefault());
$('filters').addEventListener('change', applyFilters);
$('filters').addEventListener('reset', () => setTimeout(applyFilters));
let typing = 0;
$('search').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(applyFilters, 150);
});
window.addEventListener('beforeunload', event => { if (unsaved) event.preventDefault(); });
showAll();
})();
