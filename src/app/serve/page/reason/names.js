// The words of an expression, as far as the page needs them: which parts are names of variables, and which is a "not"
// before one. The service alone decides what is an expression.

const constants = new Set(['T', 'F', '⊤', '⊥']);
const words = new Set(['true', 'false', 'not', 'and', 'or', 'xor']);
const negations = new Set(['!', '~', '¬']);

// In the form of the paper's data, v between numbers is "or": 593^924v~29.
function inAuthorsForm(text) {
  return /^[\d~^v()\s]+$/.test(text) && /\d/.test(text) && !/(^|[^\d)\s])\s*v/.test(text) && !/^\s*v/.test(text);
}

// Tokens with their kind (name, not, operator, constant, parenthesis, other) and place.
export function tokensOf(text) {
  const pattern = inAuthorsForm(text)
      ? /(?<name>\d+)|(?<symbol>[~^v()])/gu
      : /(?<quoted>"(?:[^"]|"")*"?)|(?<name>[A-Za-z0-9_]+)|(?<symbol><->|->|&&|\|\||[!~¬&^∧|∨⊕→↔()⊤⊥])/gu;
  return [...text.matchAll(pattern)].map((match) => {
    const {quoted, name, symbol} = match.groups;
    const token = {text: match[0], start: match.index, end: match.index + match[0].length, kind: 'operator', name: null};
    if (quoted) {
      const closed = quoted.length > 1 && /[^"]"$|^"(""|[^"])+"$/.test(quoted);
      return {...token, kind: 'name', closed, name: quoted.slice(1, closed ? -1 : undefined).replaceAll('""', '"')};
    }
    if (name) {
      if (constants.has(name)) return {...token, kind: 'constant'};
      const lower = name.toLowerCase();
      if (lower === 'not') return {...token, kind: 'not'};
      if (lower === 'true' || lower === 'false') return {...token, kind: 'constant'};
      if (words.has(lower)) return token;
      return {...token, kind: 'name', name};
    }
    if (negations.has(symbol)) return {...token, kind: 'not'};
    if (constants.has(symbol)) return {...token, kind: 'constant'};
    if (symbol === '(' || symbol === ')') return {...token, kind: 'parenthesis'};
    return token;
  });
}

export const namesIn = (text) => [...new Set(tokensOf(text).filter(({kind}) => kind === 'name').map(({name}) => name))];

// A name as it is written in an expression: in quotes unless it is a plain word.
export function written(name) {
  const plain = /^[A-Za-z0-9_]+$/.test(name) && !constants.has(name) && !words.has(name.toLowerCase());
  return plain ? name : `"${name.replaceAll('"', '""')}"`;
}

// The expression with a variable negated wherever it occurs; twice is as before.
export function negate(text, name) {
  const tokens = tokensOf(text);
  const mark = inAuthorsForm(text) ? '~' : '!';
  let result = '';
  let copied = 0;
  tokens.forEach((token, i) => {
    if (token.kind !== 'name' || token.name !== name) return;
    const before = tokens[i - 1];
    if (before?.kind === 'not') {
      result += text.slice(copied, before.start);
    } else {
      result += text.slice(copied, token.start) + mark;
    }
    result += text.slice(token.start, token.end);
    copied = token.end;
  });
  return result + text.slice(copied);
}

// The name that is being written where the cursor is: {start, end, prefix}, or null.
export function nameAt(text, cursor) {
  const token = tokensOf(text).find(({start, end}) => start < cursor && cursor <= end);
  if (!token || (token.kind !== 'name' && token.kind !== 'constant' && !/^[A-Za-z]+$/.test(token.text))) return null;
  if (token.closed && cursor === token.end) return null;
  const prefix = text.slice(token.start, cursor).replace(/^"/, '').replaceAll('""', '"');
  return {start: token.start, end: token.end, prefix, quoted: text[token.start] === '"'};
}

// Where a line and a column, counted in characters from 1, are in the text.
export function offsetOf(text, line, column) {
  let start = 0;
  for (let i = 1; i < (line ?? 1); ++i) {
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    start = end + 1;
  }
  const characters = [...text.slice(start)];
  return start + characters.slice(0, column - 1).join('').length;
}
