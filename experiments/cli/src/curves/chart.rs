//! One chart: lines over generations, as SVG.

use anyhow::anyhow;
use plotters::prelude::*;

/// A chart.
#[derive(Debug)]
pub struct Chart {
    /// The name of its file.
    pub name: &'static str,
    pub title: String,
    /// What the vertical axis tells.
    pub y: &'static str,
    /// Whether the vertical axis goes from 0 to 100 %.
    pub percent: bool,
    pub series: Vec<Series>,
}

/// A line of a chart.
#[derive(Debug)]
pub struct Series {
    pub label: String,
    pub points: Vec<Point>,
}

/// A point of a line, perhaps with an interval.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub interval: Option<(f64, f64)>,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, interval: None }
    }
}

const SIZE: (u32, u32) = (760, 380);

/// Colours that remain apart for people who see few of them (Okabe and Ito, 2008).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

impl Chart {
    /// The chart as an SVG picture.
    pub fn draw(&self) -> anyhow::Result<String> {
        let mut svg = String::new();
        self.draw_on(SVGBackend::with_string(&mut svg, SIZE))
            .map_err(|error| anyhow!("chart {}: {error}", self.name))?;
        Ok(svg)
    }

    fn draw_on(&self, backend: SVGBackend<'_>) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let root = backend.into_drawing_area();
        root.fill(&WHITE)?;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let last = points().map(|point| point.x).fold(1.0, f64::max);
        let highest = points().map(|point| point.y).fold(0.0, f64::max);
        let top = if self.percent { 1.0 } else { (highest * 1.1).max(1e-6) };
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..last * 1.02, 0.0..top)?;
        let percent = |y: &f64| format!("{:.0} %", y * 100.0);
        let plain = |y: &f64| format!("{y:.2}");
        let label: &dyn Fn(&f64) -> String = if self.percent { &percent } else { &plain };
        chart
            .configure_mesh()
            .light_line_style(RGBColor(245, 245, 245))
            .x_desc("generation")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_desc(self.y)
            .y_label_formatter(label)
            .draw()?;
        for (index, series) in self.series.iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            let line = series.points.iter().map(|point| (point.x, point.y));
            chart
                .draw_series(LineSeries::new(line.clone(), color.stroke_width(2)))?
                .label(&series.label)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], color.stroke_width(2)));
            chart.draw_series(line.map(|place| Circle::new(place, 3, color.filled())))?;
            let bars = series.points.iter().filter_map(|point| point.interval.map(|interval| (point.x, interval)));
            chart.draw_series(
                bars.map(|(x, (low, high))| {
                    PathElement::new(vec![(x, low), (x, high)], color.mix(0.5).stroke_width(1))
                }),
            )?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .draw()?;
        root.present()
    }
}
