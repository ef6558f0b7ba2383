// A request as a command line with curl, and as a program in Python.

const absolute = (path) => new URL(path, document.baseURI.split('#')[0]).href;
const inQuotes = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// With a space after commas and colons, and on several lines if it is long.
function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value !== null && typeof value === 'object') return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${spaced(part)}`).join(', ')}}`;
  return JSON.stringify(value);
}

export function curlOf({method, path, body}, token) {
  const parts = [`curl -s ${inQuotes(absolute(path))}`];
  if (token) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (method === 'POST') {
    parts.push("-H 'Content-Type: application/json'");
    parts.push(`-d ${inQuotes(spaced(body))}`);
  }
  return parts.join(' \\\n  ');
}

function literal(value, indent) {
  const inner = `${indent}    `;
  const one = oneLine(value);
  if (one.length + indent.length <= 88 || typeof value !== 'object' || value === null) return one;
  if (Array.isArray(value)) return `[\n${value.map((part) => `${inner}${literal(part, inner)},\n`).join('')}${indent}]`;
  return `{\n${Object.entries(value).map(([key, part]) => `${inner}${JSON.stringify(key)}: ${literal(part, inner)},\n`).join('')}${indent}}`;
}

function oneLine(value) {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value === 'object') return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`).join(', ')}}`;
  return JSON.stringify(value);
}

export function pythonOf({method, path, body, pick = []}, token) {
  const headers = {...(method === 'POST' ? {'Content-Type': '"application/json"'} : {}), ...(token ? {Authorization: 'f"Bearer {os.environ[\'TOKEN\']}"'} : {})};
  const given = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ');
  const lines = [`import json${token ? ', os' : ''}, urllib.request`, ''];
  if (method === 'POST') lines.push(`question = ${literal(body, '')}`);
  const more = [method === 'POST' && 'json.dumps(question).encode()', given && (method === 'POST' ? `{${given}}` : `headers={${given}}`)].filter(Boolean);
  lines.push(`request = urllib.request.Request(\n    ${[JSON.stringify(absolute(path)), ...more].join(',\n    ')})`);
  lines.push('with urllib.request.urlopen(request) as response:', '    answer = json.load(response)');
  lines.push(`print(answer${pick.map((key) => `[${JSON.stringify(key)}]`).join('')})`);
  return lines.join('\n');
}
