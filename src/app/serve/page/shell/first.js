// Before the first paint: the theme that was chosen last time. A classic script, because modules run too late for that.
try {
  const theme = localStorage.getItem('linn.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the theme of the system it is.
}
