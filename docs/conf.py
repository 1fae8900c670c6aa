"""Configuration of Sphinx for `make docs`; nothing is fetched, neither to build nor to read the site."""

import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import fisherset  # noqa: E402

project = "fisherset"
author = "The fisherset developers"
copyright = "The fisherset developers"  # noqa: A001
release = version = fisherset.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "public_members",
    "repository_links",
]
exclude_patterns = [
    "_build",
    "_ext",
    "_templates",
    "**/GALLERY_HEADER.rst",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
]
templates_path = ["_templates"]
default_role = "literal"

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
autosummary_imported_members = True
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # numpydoc's sections say more
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "subsection_order": "gallery_order.folder_key",
    "within_subsection_order": "gallery_order.example_key",
    "reset_modules": ("matplotlib", "gallery_order.use_our_style"),
    "doc_module": ("fisherset",),
    "backreferences_dir": "generated/backreferences",
    "reference_url": {"fisherset": None},
    "image_srcset": ["2x"],
    "thumbnail_size": (480, 300),
    "abort_on_example_error": True,
    "min_reported_time": 3600,
    "write_computation_times": False,  # its page would fetch scripts
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "plot_gallery": "True",
}

html_theme = "pydata_sphinx_theme"
html_title = "fisherset"
html_static_path = ["_static"]
html_css_files = ["fisherset.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "fisherset"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "api": [], "changelog": [], "getting_started": []}
mathjax3_config = {"options": {"enableMenu": False}, "chtml": {"matchFontHeight": True}}
