// Light or dark as chosen, before anything is painted. Not a module: those run too late.
(() => {
    const chosen = localStorage.getItem('cairn.theme');
    if (chosen === 'light' || chosen === 'dark') {
        document.documentElement.dataset.theme = chosen;
    }
})();
