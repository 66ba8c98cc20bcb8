"""The only home of streamlit: state, components and pages. What they show is made in `radixviz.render`."""
